import Glibc
import HTTPServer
import Testing

extension Live {
    @Suite struct Exhaustion {
        @Test func `a stream without a descriptor to spare ends at once and properly`() async {
            // In a process of its own: the limit holds for all of it.
            await #expect(processExitsWith: .success) {
                let live = try LiveServer()
                let client = try live.client()
                #expect(try client.get("/now").text == "now")
                let probe = try live.client()
                #expect(try probe.get("/now").text == "now")
                let spare = occupyDescriptors()
                client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                let response = try client.receiveResponse()
                #expect(response.status == 200)
                #expect(response.body.isEmpty)
                #expect(try client.receiveToEnd().isEmpty)
                #expect(live.streams.waitForAbandoned(1))
                for descriptor in spare { close(descriptor) }
                probe.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try probe.receiveHead().status == 200)
                #expect(live.streams.waitForTaken(1))
                live.server.stop()
                #expect(live.streams.isSettled)
                exit(live.streams.isSettled && response.status == 200 ? 0 : 1)
            }
        }
    }
}

/// Opens descriptors until there are no more.
private func occupyDescriptors() -> [Int32] {
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var descriptors: [Int32] = []
    while true {
        let descriptor = unsafe open("/dev/null", O_RDONLY)
        guard descriptor >= 0 else { return descriptors }
        descriptors.append(descriptor)
    }
}
