import Primitives
import Testing

@testable import Jobs

struct BlockingQueueTests {
    @Test func `elements come out in order, one by one or all at once`() {
        let queue = BlockingQueue<Int>()
        for number in 0..<3_000 { #expect(queue.put(number)) }
        for number in 0..<2_000 { #expect(queue.take() == number) }
        #expect(queue.put(3_000))
        #expect(queue.takeAll() == Array(2_000...3_000))
    }

    @Test func `urgent elements go before the others, each kind in order`() {
        let queue = BlockingQueue<Int>()
        for number in 0..<6 { #expect(queue.put(number, isUrgent: number == 4)) }
        queue.hasten { $0 == 1 || $0 == 3 }
        #expect(queue.put(6))
        #expect(queue.take() == 4)
        #expect(queue.take() == 1)
        #expect(queue.takeAll() == [3, 0, 2, 5, 6])
        #expect(queue.put(7, isUrgent: true))
        #expect(queue.take() == 7)
    }

    @Test func `a word that waits already is not put again`() {
        let queue = BlockingQueue<Int>()
        queue.putIfEmpty(1)
        queue.putIfEmpty(2)
        #expect(queue.put(3))
        #expect(queue.takeAll() == [1, 3])
        queue.putIfEmpty(4)
        #expect(queue.take() == 4)
        #expect(queue.put(5, isUrgent: true))
        queue.putIfEmpty(6)
        #expect(queue.take() == 5)
        queue.close()
        queue.putIfEmpty(7)
        #expect(queue.take() == nil)
    }

    @Test func `a closed queue takes nothing and gives what it has`() {
        let queue = BlockingQueue<Int>()
        #expect(queue.put(1))
        queue.close()
        #expect(!queue.put(2))
        #expect(queue.take() == 1)
        #expect(queue.take() == nil)
        #expect(queue.takeAll() == [])
    }

    @Test func `threads that put and take at once lose and repeat nothing`() async {
        let queue = BlockingQueue<Int>()
        let seen = Locked<[Int]>([])
        let takers = (0..<2).map { _ in
            OwnThread(name: "test") { while let number = queue.take() { seen.withLock { $0.append(number) } } }
        }
        let putters = (0..<2).map { half in
            OwnThread(name: "test") { for number in 0..<1_000 { _ = queue.put(half * 1_000 + number) } }
        }
        await offPool {
            for thread in putters { thread.join() }
            queue.close()
            for thread in takers { thread.join() }
        }
        #expect(seen.withLock { $0.sorted() } == Array(0..<2_000))
    }
}
