import Foundation
import Testing

@Suite("portcullis secret, while a lock's file is removed", .timeLimit(.minutes(10)))
struct SecretLockTests {
    /// A process that imports lines as they come, and acknowledges each.
    private struct Import: @unchecked Sendable {
        // Each stream has one user at a time: first the test, and then the threads of `finish(with:)`.
        private let process: Process
        private let input: FileHandle
        private let output: FileHandle
        private let errors: FileHandle

        init(_ tool: Tool) throws {
            let (process, input, output, errors) = tool.process(["secret", "import-lines", "--json"])
            self.process = process
            self.input = input.fileHandleForWriting
            self.output = output.fileHandleForReading
            self.errors = errors.fileHandleForReading
            try process.run()
        }

        private static func lines(_ names: [String]) -> Data {
            let value = Data("v".utf8).base64EncodedString()
            return Data(names.map { "{\"name\":\"\($0)\",\"value\":\"\(value)\"}\n" }.joined().utf8)
        }

        /// Imports one item. Its line says that the store is open, and that no write is under way until the next one.
        func begin(with name: String) throws {
            try input.write(contentsOf: Self.lines([name]))
            #expect(!output.availableData.isEmpty)
        }

        /// Imports the items, and waits for the end; returns how many were acknowledged, and how the process ended.
        func finish(with names: [String]) async -> (acknowledged: Int, status: Int32, errors: String) {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    Thread.detachNewThread {
                        // A process that fails reads no more.
                        try? input.write(contentsOf: Self.lines(names))
                        try? input.close()
                    }
                    let acknowledged = output.readDataToEndOfFile().count { $0 == 10 }
                    let told = String(decoding: errors.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                    continuation.resume(returning: (acknowledged, process.terminationStatus, told))
                }
            }
        }
    }

    @Test("K-7: two processes import, and the lock's file is removed between their beginnings")
    func removed() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try #require(try await tool.run("secret", "set", "before", input: "v").status == 0)
        let names = (0..<2).map { process in (0..<300).map { "w\(process)-\($0)" } }
        let first = try Import(tool)
        try first.begin(with: "first")
        try FileManager.default.removeItem(atPath: tool.store.path + ".lock")
        let second = try Import(tool)
        try second.begin(with: "second")
        async let others = second.finish(with: names[1])
        let mine = await first.finish(with: names[0])
        #expect(mine.acknowledged == names[0].count && mine.status == 0, "\(mine.errors)")
        let theirs = await others
        #expect(theirs.acknowledged == names[1].count && theirs.status == 0, "\(theirs.errors)")
        let listed = try await tool.run("secret", "list").text.split(separator: "\n").map(String.init)
        #expect(Set(names.joined() + ["before", "first", "second"]).subtracting(listed).isEmpty)
        let check = try await tool.run("secret", "check", "--json").json
        #expect((check["damage"] as? [Any])?.isEmpty == true && check["unfinishedTail"] as? Bool == false)
    }
}
