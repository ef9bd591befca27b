#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A TCP connection to a port of this machine, whose calls wait.
package struct LocalConnection: ~Copyable, Sendable {
    private let descriptor: Int32
    private let limit: Int

    /// Connects to a port.
    ///
    /// - Parameter limit: the longest wait for a part of an answer, in seconds. A page is loaded within the default one, or
    ///   not at all.
    package init(_ port: Int, limit: Int = 60) throws {
        self.limit = limit
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
        let descriptor = descriptor
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size)
            }
        }
        guard result == 0 else { throw Browser.Failure(description: "nothing listens on port \(port)") }
        var wait = timeval()
        wait.tv_sec = limit
        unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &wait,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit { close(descriptor) }

    package func write(_ bytes: [UInt8]) throws {
        guard unsafe send(descriptor, bytes, bytes.count, 0) == bytes.count else {
            throw Browser.Failure(description: "the driver takes no request")
        }
    }

    /// Tells the other side that nothing more is written.
    package func endWriting() {
        #if canImport(Darwin)
        shutdown(descriptor, SHUT_WR)
        #else
        shutdown(descriptor, Int32(SHUT_WR))
        #endif
    }

    /// Some of what comes, at least a byte.
    package func read() throws -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else {
            let why = count == 0 ? "the driver cut its answer" : "no answer in \(limit) s"
            throw Browser.Failure(description: why)
        }
        return buffer[..<count]
    }
}
