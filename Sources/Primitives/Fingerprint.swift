/// Tells whether bytes are the same as before: 128 bits of FNV-1a (draft-eastlake-fnv).
///
/// No secret may depend on it: whoever wants to can make two texts collide.
public struct Fingerprint: Sendable, Hashable {
    private let value: UInt128

    public init(of bytes: [UInt8]) {
        var value: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in bytes { value = (value ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
        self.value = value
    }
}

extension Fingerprint: CustomStringConvertible {
    /// Up to 32 hexadecimal digits.
    public var description: String { String(value, radix: 16) }
}
