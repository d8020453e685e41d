/// Tells a peer that reads slowly from one that has stopped or is gone: by the bytes that its kernel acknowledges.
///
/// TCP_USER_TIMEOUT (tcp(7)) does not tell them apart: it ends a connection whose peer keeps its window small, although it
/// reads on. A pure value; time is counted in sweeps.
struct PeerProgress {
    /// The sweep before the last write.
    private(set) var lastWrite: UInt32
    /// Bytes that our kernel has taken, modulo 2^32.
    private var taken: UInt32 = 0
    /// Of these, what the peer's had acknowledged when last looked at.
    private var acknowledged: UInt32 = 0
    /// The sweep at which `acknowledged` last moved, or nothing was outstanding.
    private var lastAcknowledgement: UInt32

    init(at sweep: UInt32) { (lastWrite, lastAcknowledgement) = (sweep, sweep) }

    mutating func wrote(_ count: Int, at sweep: UInt32) {
        taken &+= UInt32(truncatingIfNeeded: count)
        lastWrite = sweep
    }

    /// - Parameters:
    ///   - outstanding: bytes in our kernel that the peer's has not acknowledged.
    /// - Returns: for how many sweeps the peer has acknowledged nothing of what there was; 0 when nothing is outstanding.
    mutating func silence(outstanding: Int, at sweep: UInt32) -> UInt32 {
        let now = taken &- UInt32(truncatingIfNeeded: outstanding)
        if outstanding == 0 || now != acknowledged { lastAcknowledgement = sweep }
        acknowledged = now
        return sweep &- lastAcknowledgement
    }
}
