import Primitives

/// Runs `body` on a thread of its own: a test that blocks must not hold a thread of the cooperative
/// pool, which the code under test may need. It stays the test's task, so failures find their test.
func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withTaskExecutorPreference(ThreadPerJob()) { @concurrent () async throws in try body() }
}

private final class ThreadPerJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        _ = OwnThread(name: "test") { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
