import Hub
import Primitives
import Storage
import Testing

struct StoreTests {
    @Test func `what was recorded is there after the store was opened again, with numbers that go on`() throws {
        let folder = Folder()
        var epoch = ""
        do {
            let store = try Store(DataDirectory(folder.path))
            epoch = store.epoch
            let positions = try store.journal.record { recording throws(StoreError) in
                let key = try recording.makeTopic("builds", isOpen: true)
                return [try recording.append(.text("one"), to: key), try recording.append(.text("two"), to: key)]
            }
            #expect(positions == [2, 3])
            store.close()
        }
        let store = try Store(DataDirectory(folder.path))
        defer { store.close() }
        #expect(store.epoch == epoch)
        #expect(try store.lastPosition == 4)
        let topics = try store.openTopics()
        #expect(topics.map(\.name) == ["builds"])
        #expect(topics[0].topic.published == 2)
        #expect(topics[0].topic.newest?.position == 3)
        #expect(topics[0].topic.newest?.fields == Array("data: two\n\n".utf8))
    }
}
