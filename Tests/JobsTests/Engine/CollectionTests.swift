import Primitives
import Testing

@testable import Jobs

struct OrderedIDsTests {
    @Test func `entries stay in the order of their serials, wherever they come and go`() {
        var ids = OrderedIDs()
        for serial in [1, 2, 4, 5, 3] { ids.insert(.run(serial), serial: serial) }
        #expect(ids.entries.map(\.serial) == [1, 2, 3, 4, 5])
        ids.remove(serial: 4)
        ids.remove(serial: 9)
        #expect(ids.entries.map(\.id) == [1, 2, 3, 5].map(UniqueID.run))
        #expect(ids.firstIndex(notBelow: 4) == 3)
        #expect(ids.firstIndex(notBelow: 0) == 0)
        #expect(ids.firstIndex(notBelow: .max) == 4)
    }
}

struct BoundedMemoryTests {
    @Test func `the oldest are forgotten first`() {
        var memory = BoundedMemory<Int, String>()
        for number in 0..<1_000 {
            memory.put(number, "\(number)")
            memory.trim(to: 10)
        }
        #expect(memory.count == 10)
        #expect(memory[989] == nil)
        #expect(memory[990] == "990")
        #expect(memory.oldest?.key == 990)
        memory.removeNewest()
        #expect(memory[999] == nil)
        #expect(memory.count == 9)
    }
}
