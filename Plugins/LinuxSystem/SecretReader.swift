package import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads secrets from a descriptor straight into protected memory. Each call blocks.
package struct SecretReader {
    /// Why there is no secret.
    package enum Failure: Error, Sendable, Hashable {
        /// It is longer than was asked for.
        case tooLong
        /// The system's number for what went wrong.
        case system(Int32)
    }

    private static let chunk = 64 * 1024

    private let descriptor: CInt
    private var records = RecordReader()

    /// A reader of a descriptor, which stays the caller's.
    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// The next line, byte by byte, so that nothing beyond it is taken, without its end (`\n` or `\r\n`); `nil` where
    /// nothing follows.
    package func line(longest: Int) throws(Failure) -> SecretBytes? {
        var sawAnything = false
        var isTooLong = false
        let line = SecretBytes(capacity: longest + 1) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                // The byte after the last one is where each new one arrives: nothing is copied.
                while Self.retrying({ unsafe Self.read(descriptor, buffer.baseAddress! + count, 1) }) == 1 {
                    sawAnything = true
                    if unsafe buffer[count] == UInt8(ascii: "\n") { break }
                    guard count < longest else {
                        isTooLong = true
                        break
                    }
                    count += 1
                }
            }
        }
        guard sawAnything else { return nil }
        if isTooLong { throw .tooLong }
        guard line.count > 0, line.withBytes({ $0[line.count - 1] }) == 0x0D else { return line }
        return line.part(0..<line.count - 1)
    }

    /// All there is, as it is.
    package func everything(longest: Int) throws(Failure) -> SecretBytes {
        let buffer = SecretBuffer(capacity: Self.chunk)
        while try Self.fill(buffer, from: descriptor) {
            guard buffer.count <= longest else { throw .tooLong }
            if buffer.freeCapacity == 0 { buffer.makeRoom(Self.chunk) }
        }
        return buffer.finish()
    }

    /// The next line of a long stream that is not empty, without its end; `nil` at the end.
    package mutating func record(longest: Int) throws(Failure) -> SecretBytes? {
        while true {
            let line = try records.next(longest: longest) { [descriptor] (buffer) throws(Failure) in
                try Self.fill(buffer, from: descriptor)
            }
            guard let line else { return nil }
            if line.count > 0 { return line }
        }
    }

    /// Puts what comes next into a buffer that has space; returns whether there was anything.
    private static func fill(_ buffer: SecretBuffer, from descriptor: CInt) throws(Failure) -> Bool {
        var result = 0
        unsafe buffer.fill { room in
            unsafe room.withMemoryRebound(to: UInt8.self) { room in
                result = retrying { unsafe read(descriptor, room.baseAddress!, room.count) }
            }
            return max(0, result)
        }
        guard result >= 0 else { throw .system(errno) }
        return result > 0
    }

    @unsafe
    private static func read(_ descriptor: CInt, _ start: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(descriptor, start, count)
        #elseif canImport(Musl)
        unsafe Musl.read(descriptor, start, count)
        #else
        unsafe Darwin.read(descriptor, start, count)
        #endif
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result < 0, errno == EINTR { continue }
            return result
        }
    }
}
