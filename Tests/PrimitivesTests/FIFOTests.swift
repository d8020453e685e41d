import Primitives
import Testing

struct FIFOTests {
    @Test func `what is appended first is popped first, over many turns`() {
        var queue = FIFO<Int>()
        var expected: [Int] = []
        for step in 0..<20_000 {
            queue.append(step)
            expected.append(step)
            if step % 3 != 0 {
                #expect(queue.first == expected.first)
                #expect(queue.popFirst() == expected.removeFirst())
            }
            #expect(queue.count == expected.count)
        }
        while let first = queue.popFirst() { #expect(first == expected.removeFirst()) }
        #expect(expected.isEmpty && queue.isEmpty && queue.first == nil)
    }

    @Test func `the last can be taken back, and nothing that was popped before`() {
        var queue = FIFO<Int>()
        for element in 1...3 { queue.append(element) }
        queue.popFirst()
        #expect(queue.popLast() == 3)
        #expect(queue.popLast() == 2)
        #expect(queue.popLast() == nil && queue.popFirst() == nil)
        queue.append(4)
        #expect(queue.popAll() == [4] && queue.isEmpty)
    }
}
