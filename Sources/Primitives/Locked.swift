public import Synchronization

/// A value behind a lock.
///
/// `Synchronization.Mutex`, with the happens-before edges made visible to the
/// thread sanitizer: its futex hand-over is inline and the sanitizer's runtime
/// cannot intercept it. Build with `-DTSAN` when `--sanitize=thread` is used.
///
/// Threading: any thread. Not recursive: locking it twice on one thread is a
/// programmer's mistake and deadlocks. Hold it for memory work only: never
/// across I/O, an `await` or a call to unknown code.
public final class Locked<Value>: Sendable {
    @usableFromInline let mutex: Mutex<Value>

    public init(_ value: sending Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) in
            #if TSAN
                unsafe tsanAcquire(Unmanaged.passUnretained(self).toOpaque())
                defer { unsafe tsanRelease(Unmanaged.passUnretained(self).toOpaque()) }
            #endif
            return try body(&value)
        }
    }
}

#if TSAN
    @_silgen_name("__tsan_acquire")
    @usableFromInline func tsanAcquire(_ address: UnsafeMutableRawPointer)
    @_silgen_name("__tsan_release")
    @usableFromInline func tsanRelease(_ address: UnsafeMutableRawPointer)
#endif
