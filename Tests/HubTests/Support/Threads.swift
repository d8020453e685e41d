import Primitives

/// Runs `body` on `count` threads at once, each with its number, and returns when all are done.
///
/// Threads of their own, since the tests must not depend on the width of the cooperative pool.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { number in OwnThread(name: "test \(number)") { body(number) } }
    for thread in threads { thread.join() }
}
