import Primitives
import Testing

@testable import Jobs

struct ProgressReporterTests {
    private let sent = Locked<[Int]>([])
    private let now = Locked(Duration.zero)
    private let reporter: ProgressReporter

    init() {
        reporter = ProgressReporter(interval: .milliseconds(200), now: { [now] in now.withLock { $0 } }) {
            [sent] progress in
            sent.withLock { $0.append(progress.current) }
        }
    }

    @Test func `the first report gets through at once, the next after the interval, the newest at the end`() {
        for current in 1...5 { reporter.report(RunProgress(current: current)) }
        #expect(sent.withLock { $0 } == [1])
        now.withLock { $0 += .milliseconds(200) }
        reporter.report(RunProgress(current: 6))
        #expect(sent.withLock { $0 } == [1, 6])
        #expect(reporter.takePending() == nil)
        reporter.report(RunProgress(current: 7))
        reporter.report(RunProgress(current: 8))
        #expect(reporter.takePending()?.current == 8)
        #expect(reporter.takePending() == nil)
    }

    @Test func `a report that goes back is dropped`() {
        reporter.report(RunProgress(current: 5))
        reporter.report(RunProgress(current: 7))
        reporter.report(RunProgress(current: 6))
        #expect(reporter.takePending()?.current == 7)
    }
}
