import Testing

@testable import FanOut

struct WorkQueueTests {
    @Test func `what is put first is taken first, over many turns`() {
        var queue = WorkQueue()
        var expected: [Int] = []
        for step in 0..<20_000 {
            queue.put(step)
            expected.append(step)
            if step % 3 != 0 {
                #expect(queue.first == expected.removeFirst())
                queue.take()
            }
        }
        while let first = queue.first {
            #expect(first == expected.removeFirst())
            queue.take()
        }
        #expect(expected.isEmpty && queue.isEmpty)
    }
}
