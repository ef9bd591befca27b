import Foundation

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

    /// Removes a file, or a link.
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    private func makeFolder(of file: String) throws {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}
