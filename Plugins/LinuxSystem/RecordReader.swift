package import PortcullisCore

/// Cuts a stream into its lines, each of which it copies once.
///
/// What it does for a stream grows with the stream's length alone, however long the lines are and in whatever pieces they come:
/// ``work`` counts it.
package struct RecordReader {
    private static let chunk = 64 * 1024

    private let buffer = SecretBuffer(capacity: 0)
    /// Where the next line begins.
    private var start = 0
    /// Before this there is no end of it.
    private var searched = 0
    /// How many bytes were moved or looked at so far.
    package private(set) var work = 0

    /// Nothing was read yet.
    package init() {}

    /// The next line, without its end; `nil` at the end of the stream.
    ///
    /// - Parameters:
    ///   - longest: how long a line may be.
    ///   - fill: puts what comes next into the buffer, which has room; returns whether there was anything.
    /// - Throws: ``SecretReader/Failure/tooLong``, and what `fill` throws.
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
