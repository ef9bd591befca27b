/// The cost of an Argon2id derivation (RFC 9106, section 3.1).
public struct Argon2Parameters: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The memory in KiB (m).
    public var memory: UInt32
    /// The number of passes over the memory (t).
    public var passes: UInt32
    /// The number of lanes (p), which can be computed in parallel.
    public var lanes: UInt32

    /// Makes a cost from these numbers, which are not checked.
    public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The default and the minimum for new seals: OWASP's minimum for Argon2id, 19 MiB, t = 2, p = 1.
    public static let owaspMinimum = Argon2Parameters(memory: 19 * 1024, passes: 2, lanes: 1)

    /// The allowed range of the parameters in a sealed key: up to 1 GiB, 32 passes and 16 lanes.
    ///
    /// The upper bounds keep a forged sealed key from exhausting the machine. The lower bounds are those of
    /// RFC 9106 (8 KiB for each lane, one pass).
    public static let saneBounds = (
        memory: UInt32(8)...1_048_576,
        passes: UInt32(1)...32,
        lanes: UInt32(1)...16
    )

    /// Whether the numbers are valid by RFC 9106 and lie within ``saneBounds``.
    public var isSane: Bool {
        Self.saneBounds.memory.contains(memory) && Self.saneBounds.passes.contains(passes)
            && Self.saneBounds.lanes.contains(lanes) && memory >= 8 * lanes
    }

    /// Whether a guess costs less with these parameters than with `other`. A guess costs less if it needs
    /// less memory, or if the product of memory and passes is smaller.
    public func isWeaker(than other: Argon2Parameters) -> Bool {
        memory < other.memory
            || UInt64(memory) * UInt64(passes) < UInt64(other.memory) * UInt64(other.passes)
    }

    /// The numbers as text, such as `m=19456,t=2,p=1`.
    public var description: String { "m=\(memory),t=\(passes),p=\(lanes)" }
}
