#if os(Linux)
import Foundation
import Glibc

/// An empty file system over a folder, until it is taken off.
final class DriveMount: Sendable {
    private let path: String

    /// Mounts it on a folder; `nil` where this process may not mount one.
    init?(on path: String) {
        guard unsafe mount("drive", path, "tmpfs", 0, nil) == 0 else { return nil }
        self.path = path
    }

    deinit { unsafe umount2(path, Int32(MNT_DETACH)) }

    /// Whether this process may mount one.
    static var isAllowed: Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "drive-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        else { return false }
        defer { try? FileManager.default.removeItem(at: folder) }
        return DriveMount(on: folder.path) != nil
    }
}
#endif
