internal import Foundation

/// A program that is run to its end for what it writes.
enum Command {
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Failed`` with what it wrote, if it does not end with 0.
    static func output(_ program: String, _ arguments: [String], in folder: URL? = nil) throws -> String {
        let (status, output, errors) = try run(program, arguments, in: folder)
        guard status == 0 else { throw Failed(description: "\(program) ended with \(status):\n\(errors)") }
        return output
    }

    static func run(
        _ program: String,
        _ arguments: [String],
        in folder: URL?
    ) throws -> (status: Int32, output: String, errors: String) {
        // Files, not pipes: a process that it leaves behind would hold a pipe open.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "mutants-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let places = ["output", "errors"].map { scratch.appending(path: $0) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let folder { process.currentDirectoryURL = folder }
        for place in places { try Data().write(to: place) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: places[0])
        process.standardError = try FileHandle(forWritingTo: places[1])
        try process.run()
        process.waitUntilExit()
        let texts = try places.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return (process.terminationStatus, texts[0], texts[1])
    }
}
