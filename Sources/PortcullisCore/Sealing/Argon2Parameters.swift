/// The cost of an Argon2id derivation (RFC 9106, section 3.1).
public struct Argon2Parameters: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Memory in KiB (m).
    public var memory: UInt32
    /// Passes over the memory (t).
    public var passes: UInt32
    /// Lanes (p), computed in parallel.
    public var lanes: UInt32

    /// A cost of these numbers, not yet checked.
    public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The default and the least that new seals should have: OWASP's minimum for Argon2id, 19 MiB, t = 2, p = 1.
    public static let owaspMinimum = Argon2Parameters(memory: 19 * 1024, passes: 2, lanes: 1)

    /// What a record may say: up to 1 GiB, 32 passes and 16 lanes.
    ///
    /// The upper ends keep a forged record from using up the machine; the lower ends are what RFC 9106 allows
    /// (8 KiB for each lane, one pass).
    public static let saneBounds = (
        memory: UInt32(8)...1_048_576,
        passes: UInt32(1)...32,
        lanes: UInt32(1)...16
    )

    /// Whether the numbers are ones that RFC 9106 allows and ``saneBounds`` admits.
    public var isSane: Bool {
        Self.saneBounds.memory.contains(memory) && Self.saneBounds.passes.contains(passes)
            && Self.saneBounds.lanes.contains(lanes) && memory >= 8 * lanes
    }

    /// Whether a guess costs less than under `other`: less memory, or less memory × passes.
    public func isWeaker(than other: Argon2Parameters) -> Bool {
        memory < other.memory
            || UInt64(memory) * UInt64(passes) < UInt64(other.memory) * UInt64(other.passes)
    }

    /// `m=19456,t=2,p=1`.
    public var description: String { "m=\(memory),t=\(passes),p=\(lanes)" }
}
