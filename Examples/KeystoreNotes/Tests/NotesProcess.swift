import ExampleSupport
import Foundation
import Synchronization

/// The built example as a process that waits for its input to end.
final class NotesProcess: Sendable {
    private let process = Process()
    private let (input, printed, errors) = (Pipe(), Pipe(), Pipe())
    private let ending: AsyncStream<Void>

    init(_ command: [String], in home: URL) throws {
        let (ending, continuation) = AsyncStream.makeStream(of: Void.self)
        self.ending = ending
        process.executableURL = try built("keystore-notes")
        process.arguments = command + ["--home", home.path]
        (process.standardInput, process.standardOutput, process.standardError) = (input, printed, errors)
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
    }

    /// Writes a text to the input, and closes the input.
    func type(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
    }

    /// Waits for the first line on standard error, and returns it.
    func firstLine() async -> String {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let handle = errors.fileHandleForReading
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() }
            continuation.yield(String(decoding: data, as: UTF8.self))
        }
        defer { handle.readabilityHandler = nil }
        var text = ""
        for await part in lines {
            text += part
            if let end = text.firstIndex(of: "\n") { return String(text[..<end]) }
        }
        return text
    }

    /// Waits for the end of the process.
    func end() async throws -> Int32 {
        for await _ in ending {}
        return process.terminationStatus
    }

    /// Returns the printed text, after the process has ended.
    func output() -> String {
        String(decoding: printed.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
