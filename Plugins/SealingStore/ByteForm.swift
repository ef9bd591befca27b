internal import PortcullisCore

/// Little-endian numbers in byte arrays, and random bytes.
extension Array where Element == UInt8 {
    mutating func append(_ number: some FixedWidthInteger) {
        for index in 0..<number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }

    /// Returns the number at an offset. All bytes of the number must be in the array.
    func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self, at offset: Int) -> Number {
        var number: Number = 0
        for index in 0..<Number.bitWidth / 8 {
            number |= Number(truncatingIfNeeded: self[offset + index]) << (8 * index)
        }
        return number
    }

    /// Makes random bytes that need not be secret.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count { bytes.append(generator.next() as UInt64) }
        return Array(bytes.prefix(count))
    }
}

extension SecretBytes {
    /// A copy in ordinary memory. It is meant for sealed bytes, which are not secret.
    var sealedBytes: [UInt8] {
        withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    }
}
