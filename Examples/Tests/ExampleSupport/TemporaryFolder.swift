public import Foundation

/// A folder that goes with its test.
public final class TemporaryFolder: Sendable {
    /// Its path, without links.
    public let path: String
    /// The same as an address.
    public var url: URL { URL(filePath: path, directoryHint: .isDirectory) }

    /// Makes it.
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
