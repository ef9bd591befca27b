#if os(Linux)
internal import Foundation
internal import Glibc

/// A mounted file system that answers nothing, like a lost network share.
package final class SilentMount: Sendable {
    package let path: String
    private let server: Int32

    /// Mounts it on a folder; `nil` where this process may not mount one.
    package init?(on path: String) {
        self.path = path
        server = unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard server >= 0 else { return nil }
        let options = "fd=\(server),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        guard unsafe mount("silent", path, "fuse", 0, options) == 0 else {
            close(server)
            return nil
        }
    }

    /// Ends it: whatever still waits for an answer has an error then.
    deinit {
        close(server)
        unsafe umount2(path, Int32(MNT_DETACH))
    }

    /// Whether this process may mount one.
    package static var isAllowed: Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "silent-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        else { return false }
        defer { try? FileManager.default.removeItem(at: folder) }
        return SilentMount(on: folder.path) != nil
    }
}
#endif
