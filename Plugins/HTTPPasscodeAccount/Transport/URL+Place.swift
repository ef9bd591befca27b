#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension URL {
    /// Whether the port is valid for TCP, or missing.
    var hasSoundPort: Bool { port.map { (1...65_535).contains($0) } ?? true }

    /// Whether the host is this machine under a usual name. Unusual names, such as `127.1`, count as another
    /// machine.
    var isThisMachine: Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host()?.lowercased())
    }
}
