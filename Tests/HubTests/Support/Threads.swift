import Glibc

/// Runs `body` on `count` threads at once, each with its number, and returns when all are done.
///
/// Threads of their own, since the tests must not depend on the width of the cooperative pool.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var threads: [pthread_t] = []
    for number in 0..<count {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Work { body(number) }).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, argument)
        precondition(status == 0, "the system gives a test a few threads")
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}
