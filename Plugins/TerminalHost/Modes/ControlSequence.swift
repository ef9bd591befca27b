/// A CSI sequence, taken byte by byte as terminals do: of a length without a bound, in memory with one.
struct ControlSequence: Sendable, Hashable {
    /// More parameters than any terminal reads.
    private static let mostNumbers = 32
    /// Greater than every number that means something.
    private static let greatest = 1 << 16

    /// The character `<`, `=`, `>` or `?` before the first parameter.
    private(set) var prefix: UInt8?
    /// The last character between the parameters and the final one, such as `!`.
    private(set) var intermediate: UInt8?
    /// The parameters; one that is left out is 0.
    private(set) var numbers: [Int] = [0]
    /// Whether terminals may read something else in it: it has more or greater numbers than are kept, a prefix behind
    /// the first parameter, or bytes that stand in no sequence.
    private(set) var isUnclear = false
    private var isFirst = true

    /// Takes a byte from 0x20 to 0x3F.
    mutating func take(_ byte: UInt8) {
        defer { isFirst = false }
        switch byte {
        case 0x30...0x39:
            guard numbers.count <= Self.mostNumbers else { return }
            let number = numbers[numbers.count - 1] * 10 + Int(byte - 0x30)
            // Terminals let it overflow, each at its own bound.
            if number >= Self.greatest { isUnclear = true }
            numbers[numbers.count - 1] = min(number, Self.greatest)
        case UInt8(ascii: ";"), UInt8(ascii: ":"):
            if numbers.count <= Self.mostNumbers { numbers.append(0) } else { isUnclear = true }
        case 0x3C...0x3F:
            // Elsewhere it makes the sequence one that terminals drop, but not all of them.
            if isFirst {
                prefix = byte
            } else {
                intermediate = byte
                isUnclear = true
            }
        default:
            intermediate = byte
        }
    }

    /// A byte from 0x80 on, which some terminals drop and others take for the beginning of another sequence.
    mutating func takeForeign() { isUnclear = true }
}
