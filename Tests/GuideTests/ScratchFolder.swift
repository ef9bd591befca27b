#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder that is gone with this object.
final class ScratchFolder: CustomStringConvertible, Sendable {
    let description: String

    init() throws {
        description =
            FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: description,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: description) }
}
