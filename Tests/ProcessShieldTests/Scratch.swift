import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder of a test's own, removed with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shield-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, with the folders on its way.
    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        try makeFolder(of: file)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// Copies a program, so that it is one that nobody else runs.
    @discardableResult
    func copy(_ program: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try makeFolder(of: file)
        let source = URL(fileURLWithPath: program).resolvingSymlinksInPath()
        try FileManager.default.copyItem(at: source, to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        return file
    }

    /// Makes a symbolic link.
    func link(_ name: String, to target: String) throws {
        let file = "\(path)/\(name)"
        try makeFolder(of: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    }

    /// Gives a file another name.
    func hardLink(_ name: String, to target: String) throws {
        try FileManager.default.linkItem(atPath: target, toPath: "\(path)/\(name)")
    }

    #if os(Linux)
    /// Gives a program a capability of its own (capabilities(7)), where this user may.
    func givesCapabilities(to file: String) -> Bool {
        // `struct vfs_cap_data` of version 2 with CAP_NET_RAW, in little-endian words.
        let data: [UInt8] = [1, 0, 0, 2, 0, 0x20] + [UInt8](repeating: 0, count: 14)
        // The C library's header is in no module.
        typealias Setting =
            @convention(c) (
                UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<UInt8>, Int, Int32
            ) -> Int32
        guard let symbol = unsafe dlsym(nil, "setxattr") else { return false }
        return unsafe unsafeBitCast(symbol, to: Setting.self)(
            file,
            "security.capability",
            data,
            data.count,
            0
        ) == 0
    }
    #endif

    /// Removes a file, or a link.
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    private func makeFolder(of file: String) throws {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}
