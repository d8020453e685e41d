import Glibc
import HTTPServer

/// Keeps the sockets of a test's streams and counts what became of each.
final class StreamLedger: Sendable {
    struct Entries {
        var offered = 0
        var taken = 0
        var abandoned = 0
        /// Owned.
        var sockets: [(descriptor: Int32, isChunked: Bool)] = []
        /// Streams that were told of their fate twice.
        var repeated = 0
    }

    let entries = Watched(Entries())

    deinit { closeAll() }

    func head() -> StreamHead {
        entries.update { $0.offered += 1 }
        let isTold = Watched(false)
        let isRepeated = { @Sendable in
            isTold.update { told in
                defer { told = true }
                return told
            }
        }
        return StreamHead(
            headers: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
            taken: { [entries] socket, head in
                let again = isRepeated()
                let isChunked = socket.isChunked
                let descriptor = socket.take()
                _ = unsafe send(descriptor, head, head.count, Int32(MSG_NOSIGNAL))
                entries.update {
                    $0.taken += 1
                    $0.repeated += again ? 1 : 0
                    $0.sockets.append((descriptor, isChunked))
                }
            },
            abandoned: { [entries] in
                let again = isRepeated()
                entries.update {
                    $0.abandoned += 1
                    $0.repeated += again ? 1 : 0
                }
            })
    }

    /// Each stream has been told exactly once.
    var isSettled: Bool {
        entries.update { $0.taken + $0.abandoned == $0.offered && $0.repeated == 0 }
    }

    func waitForTaken(_ count: Int) -> Bool { entries.wait { $0.taken >= count } }
    func waitForAbandoned(_ count: Int) -> Bool { entries.wait { $0.abandoned >= count } }

    /// Writes raw bytes to every stream; how many took all of them.
    func write(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return entries.update { entries in
            entries.sockets.filter { socket in
                unsafe send(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
            }.count
        }
    }

    func closeAll() {
        entries.update { entries in
            for socket in entries.sockets { close(socket.descriptor) }
            entries.sockets = []
        }
    }
}
