package import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads secrets from a descriptor into protected memory, without copies in ordinary memory. Each call
/// blocks.
package struct SecretReader {
    /// The reason why there is no secret.
    package enum Failure: Error, Sendable, Hashable {
        /// The secret is longer than the caller allows.
        case tooLong
        /// The read failed with this error number of the system.
        case system(Int32)
    }

    private static let chunk = 64 * 1024

    private let descriptor: CInt
    private var records = RecordReader()

    /// Makes a reader of a descriptor, which the caller keeps and closes.
    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Reads the next line without its line end (`\n` or `\r\n`). Returns `nil` at the end of the stream. The
    /// call reads byte by byte, so that it consumes no byte after the line.
    package func line(longest: Int) throws(Failure) -> SecretBytes? {
        var sawAnything = false
        var isTooLong = false
        var failure: Int32?
        // The capacity has two more bytes for the line end `\r\n`. The `\r` is stored too, because only the
        // next byte shows whether it belongs to the line end.
        let line = SecretBytes(capacity: longest + 2) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                while true {
                    // Each byte is read directly into the protected memory, so that ordinary memory never
                    // holds it.
                    let result = unsafe Self.read(descriptor, buffer.baseAddress! + count, 1)
                    if result < 0 { failure = errno }
                    guard result == 1 else { break }
                    sawAnything = true
                    if unsafe buffer[count] == UInt8(ascii: "\n") { break }
                    let isReturn = unsafe buffer[count] == UInt8(ascii: "\r")
                    guard count < longest || count == longest && isReturn else {
                        isTooLong = true
                        break
                    }
                    count += 1
                }
            }
        }
        // After a failure only a part of the secret may have been read. This part must not be returned as if
        // it were the whole secret.
        if let failure { throw .system(failure) }
        guard sawAnything else { return nil }
        if isTooLong { throw .tooLong }
        guard line.count > 0, line.withBytes({ $0[line.count - 1] }) == 0x0D else { return line }
        return line.part(0..<line.count - 1)
    }

    /// Reads all bytes up to the end of the stream, including the line ends.
    package func everything(longest: Int) throws(Failure) -> SecretBytes {
        let buffer = SecretBuffer(capacity: Self.chunk)
        while try Self.fill(buffer, from: descriptor) {
            guard buffer.count <= longest else { throw .tooLong }
            if buffer.freeCapacity == 0 { buffer.makeRoom(Self.chunk) }
        }
        return buffer.finish()
    }

    /// Reads the next line that is not empty, without its newline. Returns `nil` at the end of the stream.
    package mutating func record(longest: Int) throws(Failure) -> SecretBytes? {
        while true {
            let line = try records.next(longest: longest) { [descriptor] (buffer) throws(Failure) in
                try Self.fill(buffer, from: descriptor)
            }
            guard let line else { return nil }
            if line.count > 0 { return line }
        }
    }

    /// Appends the next bytes of the stream to a buffer that has free capacity. Returns `false` at the end.
    private static func fill(_ buffer: SecretBuffer, from descriptor: CInt) throws(Failure) -> Bool {
        var result = 0
        unsafe buffer.fill { room in
            unsafe room.withMemoryRebound(to: UInt8.self) { room in
                result = unsafe read(descriptor, room.baseAddress!, room.count)
            }
            return max(0, result)
        }
        guard result >= 0 else { throw .system(errno) }
        return result > 0
    }

    /// Reads once, and waits if a non-blocking descriptor has no bytes. Returns the number of bytes, 0 at the
    /// end of the stream, or -1 with `errno` set after a failure.
    @unsafe
    private static func read(_ descriptor: CInt, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
        while true {
            switch unsafe Descriptors.read(descriptor, into: .init(start: start, count: count)) {
            case .bytes(let count): return count
            case .end: return 0
            // Another process that shares the open file has set `O_NONBLOCK`, so `read` did not block. This
            // call waits for input instead.
            case .nothing: _ = DescriptorWait.isReady(descriptor)
            case .failed(let number):
                errno = number
                return -1
            }
        }
    }
}
