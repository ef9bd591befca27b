public import Foundation

/// Finds a program that was built beside the tests.
///
/// - Throws: `CocoaError` when it was not built.
public func built(_ name: String) throws -> URL {
    // The test runner's bundle is the build folder on one system, and lies in it on another.
    let places = [
        Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(),
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(),
    ]
    let found = places.map { $0.appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
    return found
}
