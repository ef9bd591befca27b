/// Faults in the order in which a seed draws them.
///
/// The order depends on nothing but the seed and the faults that there are.
public struct Sample: Sendable {
    private let order: [Fault]

    /// - Parameters:
    ///   - faults: all of them, in an order that does not change from run to run.
    ///   - seed: any number; another one draws others.
    public init(_ faults: [Fault], seed: UInt64) {
        var generator = SplitMix64(state: seed)
        order = faults.shuffled(using: &generator)
    }

    /// Every fault with its number.
    public var all: [(number: Int, fault: Fault)] { order.enumerated().map { ($0.offset + 1, $0.element) } }

    /// The first faults of the order that do not touch one another, by numbers counted from 1.
    ///
    /// A fault keeps its number whatever is left out.
    ///
    /// - Parameters:
    ///   - count: how many at most.
    ///   - dropped: numbers of faults that are left out: they do not compile.
    public func drawn(_ count: Int, without dropped: Set<Int>) -> [(number: Int, fault: Fault)] {
        var drawn: [(number: Int, fault: Fault)] = []
        for (number, fault) in all where !dropped.contains(number) {
            if drawn.count == count { break }
            if !drawn.contains(where: { $0.fault.touches(fault) }) { drawn.append((number, fault)) }
        }
        return drawn
    }
}

/// Steele, Lea and Flood's generator of 2014: small, and the same on every machine.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
