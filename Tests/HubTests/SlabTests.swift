import Testing

@testable import Hub

@Suite struct SlabTests {
    @Test func `a handle finds its value until it is removed`() {
        var slab = Slab<String>()
        let (a, b) = (slab.insert("a"), slab.insert("b"))
        #expect(slab[a] == "a" && slab[b] == "b" && slab.count == 2)
        #expect(slab.remove(a) == "a")
        #expect(!slab.contains(a) && slab.contains(b) && slab.count == 1)
    }

    @Test func `removing twice removes nothing else`() {
        var slab = Slab<String>()
        let a = slab.insert("a")
        slab.remove(a)
        let b = slab.insert("b")
        #expect(slab.remove(a) == nil)
        #expect(slab[b] == "b")
    }

    @Test func `a slot is used again and the old handle stays stale`() {
        var slab = Slab<Int>()
        var stale: [Slab<Int>.Handle] = []
        for value in 0..<100 {
            let handle = slab.insert(value)
            #expect(stale.allSatisfy { !slab.contains($0) && $0 != handle })
            slab.remove(handle)
            stale.append(handle)
        }
        #expect(slab.count == 0)
        slab.forEach { value in Issue.record("\(value) was removed") }
    }

    @Test func `a value changes in place`() {
        var slab = Slab<[Int]>()
        let handle = slab.insert([1])
        slab[handle].append(2)
        #expect(slab[handle] == [1, 2])
    }

    @Test func `every value in use is visited once, in place`() {
        var slab = Slab<Int>()
        let handles = (0..<5).map { slab.insert($0) }
        slab.remove(handles[1])
        slab.remove(handles[3])
        slab.forEach { $0 += 10 }
        #expect([0, 2, 4].map { slab[handles[$0]] } == [10, 12, 14])
        var visited: [Int] = []
        slab.forEach { visited.append($0) }
        #expect(visited.sorted() == [10, 12, 14])
    }
}
