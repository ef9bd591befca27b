import Foundation
import Testing

/// The README's first example is a whole program: compiled, run, and held against the text.
@Suite("README", .timeLimit(.minutes(5)))
struct ReadmeTests {
    @Test("the embedding example opens its key, at the first run and at the next")
    func example() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 1...2 {
            #expect(try await run(in: folder) == "open: 32 bytes that only this passcode gives back\n")
        }
    }

    @Test("the README shows the example as it is compiled")
    func sameText() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let main = root.appending(path: "ReadmeProgram/main.swift")
        let program = try String(contentsOf: main, encoding: .utf8)
        let readme = root.deletingLastPathComponent().appending(path: "README.md")
        #expect(try String(contentsOf: readme, encoding: .utf8).contains("```swift\n\(program)```\n"))
    }

    /// What the program prints, waited for off Swift's pool.
    private func run(in folder: URL) async throws -> String {
        let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let process = Process()
        let output = Pipe()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "ReadmeProgram")
        process.currentDirectoryURL = folder
        process.standardOutput = output
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let printed = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: printed, as: UTF8.self))
            }
        }
    }
}
