#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads and writes little-endian numbers in byte arrays.
extension Array where Element == UInt8 {
    mutating func append(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
        for index in 0..<number.bitWidth / 8 {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
    }

    mutating func put(_ bytes: [UInt8], at offset: Int) {
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self, at offset: Int) -> Number {
        unsafe withUnsafeBytes {
            unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
    }

    func slice(_ offset: Int, _ count: Int) -> [UInt8] { Array(self[offset..<offset + count]) }

    /// Appends up to 256 random bytes that need not be secret.
    mutating func appendRandom(_ count: Int) {
        let start = self.count
        append(contentsOf: repeatElement(0, count: count))
        // `getentropy` is one system call. `SystemRandomNumberGenerator` makes one for every eight bytes.
        let result = unsafe withUnsafeMutableBytes { unsafe getentropy($0.baseAddress! + start, count) }
        precondition(result == 0, "the system has no random bytes")
    }
}

/// Random bytes that need not be secret: salts, nonces, ids.
func randomBytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.appendRandom(count)
    return bytes
}
