/// A CSI sequence, read byte by byte as terminals do. The sequence may have any length. Only a limited part
/// of it is kept in memory.
struct ControlSequence: Sendable, Hashable {
    /// The greatest number of parameters that are kept. No terminal reads more.
    private static let mostNumbers = 32
    /// The greatest value that is kept for a parameter. All meaningful values are smaller.
    private static let greatest = 1 << 16

    /// The character `<`, `=`, `>` or `?` before the first parameter.
    private(set) var prefix: UInt8?
    /// The last character between the parameters and the final character, such as `!`.
    private(set) var intermediate: UInt8?
    /// The parameters. A missing parameter is 0.
    private(set) var numbers: [Int] = [0]
    /// Whether terminals may read the sequence in different ways. The causes are too many parameters, a
    /// parameter that is too great, a prefix that is not at the beginning, and bytes that belong in no
    /// sequence.
    private(set) var isUnclear = false
    private var isFirst = true
    /// Whether the sequence has more parameters than are kept. The excess parameters are ignored.
    private var isFull = false

    /// Adds a byte from 0x20 to 0x3F.
    mutating func take(_ byte: UInt8) {
        defer { isFirst = false }
        switch byte {
        case 0x30...0x39:
            guard !isFull else { return }
            let number = numbers[numbers.count - 1] * 10 + Int(byte - 0x30)
            // In terminals large numbers overflow, and each terminal has another limit. So from `greatest`
            // on, the meaning of the sequence is unclear.
            if number >= Self.greatest { isUnclear = true }
            numbers[numbers.count - 1] = min(number, Self.greatest)
        case UInt8(ascii: ";"), UInt8(ascii: ":"):
            if numbers.count < Self.mostNumbers {
                numbers.append(0)
            } else {
                (isFull, isUnclear) = (true, true)
            }
        case 0x3C...0x3F:
            // A byte from `<` to `?` must be the first of the sequence. If it comes later, most terminals
            // drop the sequence, and others carry it out. So the meaning is unclear.
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

    /// Notes a byte of 0x80 or more. Some terminals drop it, and others begin another sequence with it.
    mutating func takeForeign() { isUnclear = true }
}
