public import Foundation

/// A folder that is removed at the end of its test.
public final class TemporaryFolder: Sendable {
    /// The folder's path, without symbolic links.
    public let path: String
    /// The path as a URL.
    public var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// Makes the folder.
    public init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "example-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file into it.
    ///
    /// - Returns: the file's path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }
}
