import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// TCP sockets on this machine's own address.
public enum LoopbackSocket: Sendable {
    /// Makes a socket that listens on a free port.
    ///
    /// - Throws: `POSIXError` when it cannot listen.
    static func listening() throws -> (file: Int32, port: Int) {
        let file = try open()
        var address = address(of: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(file, pointer, size) == 0 && listen(file, 64) == 0
                    && getsockname(file, pointer, &size) == 0
            }
        }
        guard isListening else { throw failure(closing: file) }
        return (file, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// A socket that is connected to a port; the caller closes it.
    ///
    /// - Throws: `POSIXError`, `ECONNREFUSED` when nothing listens there.
    public static func connected(to port: Int) throws -> Int32 {
        let file = try open()
        var address = address(of: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(file, $0, size) == 0
            }
        }
        guard isConnected else { throw failure(closing: file) }
        return file
    }

    private static func open() throws -> Int32 {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let file = socket(AF_INET, kind, 0)
        guard file >= 0 else { throw failure() }
        return file
    }

    /// Makes the error of the last call.
    private static func failure(closing file: Int32? = nil) -> POSIXError {
        let code = POSIXErrorCode(rawValue: errno) ?? .EIO
        if let file { close(file) }
        return POSIXError(code)
    }

    private static func address(of port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
