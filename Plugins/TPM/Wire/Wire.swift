/// Bytes in a TPM's encoding: big-endian numbers, and byte strings that follow their length (TPM 2.0 Part 2,
/// "TPM2B").
struct Wire: Sendable, Hashable {
    private(set) var bytes: [UInt8] = []

    /// Makes an empty value.
    init() {}

    /// Writes numbers one after the other.
    init(_ numbers: any FixedWidthInteger...) { for number in numbers { put(number) } }

    mutating func put(_ number: some FixedWidthInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends bytes without a length.
    mutating func put(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

    /// Appends a length in 16 bits and the bytes.
    mutating func put(sized: [UInt8]) {
        put(UInt16(sized.count))
        bytes += sized
    }
}

/// Reads the encoding of ``Wire``. If bytes are missing, the reader throws ``ChipFailure/garbled``.
struct WireReader: Sendable {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }
    var rest: [UInt8] { Array(bytes[offset...]) }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws(ChipFailure)
        -> Number
    {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func take(_ count: Int) throws(ChipFailure) -> [UInt8] {
        guard count >= 0, count <= bytes.count - offset else { throw .garbled }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Reads a length in 16 bits, and that many bytes.
    mutating func sized() throws(ChipFailure) -> [UInt8] { try take(Int(try number(UInt16.self))) }
}
