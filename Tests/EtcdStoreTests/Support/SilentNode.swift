#if EtcdStore
import Glibc
import Testing

@testable import EtcdStore

/// A port that takes connections and never sends a byte, as that of a stopped process.
final class SilentNode: Sendable {
    private let descriptor: Int32
    let endpoint: EtcdEndpoint

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, size) == 0
                    && getsockname(descriptor, pointer, &size) == 0 && listen(descriptor, 16) == 0
            }
        }
        try #require(isListening)
        endpoint = EtcdEndpoint(
            host: "127.0.0.1",
            port: Int(UInt16(bigEndian: address.sin_port)),
            isSecure: false
        )
    }

    deinit { close(descriptor) }
}
#endif
