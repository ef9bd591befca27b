package import PortcullisCore

/// Splits a stream into lines. Each line is copied into a secret of its own.
///
/// The work is proportional to the length of the stream. It does not depend on the lengths of the lines, or
/// on the pieces in which the stream arrives. ``work`` measures the work in bytes.
package struct RecordReader {
    private static let chunk = 64 * 1024

    private let buffer = SecretBuffer(capacity: 0)
    /// The index at which the next line begins.
    private var start = 0
    /// The index up to which the buffer was searched for the next newline.
    private var searched = 0
    /// The number of bytes that were searched, copied or moved so far.
    package private(set) var work = 0

    /// Makes a reader at the beginning of a stream.
    package init() {}

    /// Returns the next line, without its newline; `nil` at the end of the stream.
    ///
    /// - Parameters:
    ///   - longest: the largest length of a line in bytes.
    ///   - fill: appends the next bytes of the stream to the buffer, which has free capacity. Returns `false`
    ///     at the end.
    /// - Throws: ``SecretReader/Failure/tooLong``, and the errors of `fill`.
    package mutating func next(
        longest: Int,
        filling fill: (SecretBuffer) throws(SecretReader.Failure) -> Bool
    ) throws(SecretReader.Failure) -> SecretBytes? {
        while true {
            let end = buffer.withBytes { bytes in
                (searched..<bytes.count).first { bytes[$0] == UInt8(ascii: "\n") }
            }
            work += (end ?? buffer.count) - searched
            guard (end ?? buffer.count) - start <= longest else { throw .tooLong }
            if let end { return take(to: end) }
            searched = buffer.count
            if buffer.freeCapacity == 0 { makeRoom() }
            guard try fill(buffer) else { return start < buffer.count ? take(to: buffer.count) : nil }
        }
    }

    private mutating func take(to end: Int) -> SecretBytes {
        defer {
            start = min(end + 1, buffer.count)
            searched = start
        }
        work += end - start
        return buffer.withBytes { SecretBytes(copying: $0.extracting(start..<end)) }
    }

    private mutating func makeRoom() {
        work += buffer.count - start
        buffer.makeRoom(Self.chunk, dropping: start)
        (start, searched) = (0, searched - start)
    }
}
