import Testing

@testable import FanOut

struct PeerProgressTests {
    @Test func `a peer that acknowledges nothing grows silent`() {
        var progress = PeerProgress(at: 3)
        progress.wrote(500, at: 3)
        #expect((4...8).map { progress.silence(outstanding: 500, at: $0) } == [1, 2, 3, 4, 5])
    }

    @Test func `a slow peer whose queue is always full is not silent`() {
        var progress = PeerProgress(at: 0)
        progress.wrote(1_000, at: 0)
        for sweep in UInt32(1)...20 {
            // As much is written as was acknowledged: the queue is as long as before.
            progress.wrote(10, at: sweep)
            #expect(progress.silence(outstanding: 1_000, at: sweep) == 0)
        }
    }

    @Test func `a stuck peer is silent although more is written`() {
        var progress = PeerProgress(at: 0)
        progress.wrote(100, at: 0)
        _ = progress.silence(outstanding: 100, at: 0)
        progress.wrote(100, at: 1)
        #expect(progress.silence(outstanding: 200, at: 1) == 1)
        #expect(progress.silence(outstanding: 200, at: 2) == 2)
    }

    @Test func `with nothing outstanding there is no silence, however long`() {
        var progress = PeerProgress(at: 0)
        progress.wrote(100, at: 0)
        #expect(progress.silence(outstanding: 0, at: 1) == 0)
        #expect(progress.silence(outstanding: 0, at: 900) == 0)
        progress.wrote(1, at: 901)
        #expect(progress.silence(outstanding: 1, at: 902) == 2)
    }

    @Test func `counters may wrap around`() {
        var progress = PeerProgress(at: .max)
        for _ in 0..<5 { progress.wrote(1 << 30, at: .max) }
        _ = progress.silence(outstanding: 7, at: .max)
        #expect(progress.silence(outstanding: 7, at: 1) == 2)
        #expect(progress.silence(outstanding: 6, at: 2) == 0)
    }
}
