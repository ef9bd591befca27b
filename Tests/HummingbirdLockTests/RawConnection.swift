#if HummingbirdLock
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection of which a test sees each byte, and when it came.
final class RawConnection: Sendable {
    struct Failed: Error {}

    private let descriptor: Int32

    init(port: Int) throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw Failed() }
        // A test that gets no answer fails, and waits for none.
        var limit = timeval()
        limit.tv_sec = 30
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit { close(descriptor) }

    func ask(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard unsafe send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Failed() }
    }

    /// Says that nothing more is asked, as the end of a reader does.
    func end() {
        #if canImport(Darwin)
        shutdown(descriptor, SHUT_WR)
        #else
        shutdown(descriptor, Int32(SHUT_WR))
        #endif
    }

    private func next() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// How many bytes came, and when the last of them did.
    func readToEnd() async -> (bytes: Int, last: ContinuousClock.Instant) {
        await onThread { self.readingToEnd() }
    }

    /// What comes up to a text, that included.
    func read(until text: String) async -> String { await onThread { self.reading(until: text) } }

    /// On a thread of its own: Swift's pool has too few for those that wait.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    private func readingToEnd() -> (bytes: Int, last: ContinuousClock.Instant) {
        var (bytes, last) = (0, ContinuousClock.now)
        while true {
            let part = next()
            if part.isEmpty { return (bytes, last) }
            bytes += part.count
            last = ContinuousClock.now
        }
    }

    private func reading(until text: String) -> String {
        var found = ""
        while !found.contains(text) {
            let part = next()
            if part.isEmpty { return found }
            found += String(decoding: part, as: UTF8.self)
        }
        return found
    }
}
#endif
