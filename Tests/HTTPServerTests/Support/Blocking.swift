import Glibc

/// Runs `body` on a thread of its own: a test that blocks must not hold a thread of the cooperative
/// pool, which the code under test may need.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let work = unsafe Unmanaged.passRetained(
            Work { continuation.resume(with: Result(catching: body)) }
        ).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                unsafe Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run()
                return nil
            }, work)
        precondition(result == 0, "no thread for a test")
        pthread_detach(thread)
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
