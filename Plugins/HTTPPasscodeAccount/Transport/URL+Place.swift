#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension URL {
    /// Whether a port, where there is one, is one of TCP.
    var hasSoundPort: Bool { port.map { (1...65_535).contains($0) } ?? true }

    /// Whether it names this machine in one of the usual ways; unusual ones (`127.1`) count as another machine.
    var isThisMachine: Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host()?.lowercased())
    }
}
