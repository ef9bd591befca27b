import Foundation
import Glibc
import Testing

@testable import portcullis

/// Starting `guard` where something is missing.
@Suite("guard starts (P-36)", .serialized)
struct GuardStartTests {
    @Test("guard: with few descriptors it says why it cannot start, and is ended by no signal")
    func fewDescriptors() async throws {
        let home = try Tool()
        defer { home.remove() }
        try await home.run("secret", "list")
        var refusals = 0
        // With fewer Swift's own runtime does not start.
        for limit in 8...24 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "ulimit -n \(limit) && exec \"$0\" guard true", Tool.executable.path]
            process.environment = home.environment
            let errors = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = errors
            try process.run()
            try errors.fileHandleForWriting.close()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit, "\(limit) descriptors: \(text)")
            if process.terminationStatus == 125 {
                refusals += 1
                #expect(text.hasPrefix("portcullis") && text.count > 30, "\(limit) descriptors: \(text)")
            }
        }
        #expect(refusals > 0)
    }

    @Test("guard: an option that it does not know is not taken for the program")
    func unknownOption() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run("guard", "--tiemout", "5m", "true")
        #expect(outcome.status != 0 && outcome.errors.contains("--tiemout"))
    }

    @Test("guard: the program needs no -- before it, and its arguments are its own")
    func program() async throws {
        let run = try GuardedRun([
            "guard", "--idle", "5m", "sh", "-c", "echo got $*", "sh", "--idle", "-x", "--", "y",
        ])
        try await run.waitForText("Set up later")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 0)
        #expect(run.raw.contains("got --idle -x -- y"))
        let other = try GuardedRun(
            ["guard", "--", "sh", "-c", "echo got $*", "sh", "--", "y"],
            home: run.home
        )
        #expect(try await other.waitForEnd() == 0)
        #expect(other.raw.contains("got -- y"))
    }

    @Test("K-8: the folder of a session that was killed is removed by the next one; one in use stays")
    func leftFolders() throws {
        let base = URL(fileURLWithPath: "/tmp/places-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: base,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: base) }
        func folder(_ name: String, holdsSocket: Bool) throws -> URL {
            let folder = base.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            if holdsSocket {
                // What a process leaves behind: a socket without anything that listens.
                let listener = try #require(UnixSocket.listen(at: folder.appending(path: "agent").path))
                close(listener)
            }
            return folder
        }
        let left = try folder("portcullis-a1B2c3", holdsSocket: true)
        let foreign = try folder("portcullis-backup", holdsSocket: false)
        let longer = try folder("portcullis-longer-name", holdsSocket: true)
        let environment = ["XDG_RUNTIME_DIR": base.path]
        let first = try AgentPlace.make(environment)
        defer { first.remove() }
        let listener = try #require(UnixSocket.listen(at: first.socket))
        defer { close(listener) }
        let second = try AgentPlace.make(environment)
        defer { second.remove() }
        let there = [left, foreign, longer].map { FileManager.default.fileExists(atPath: $0.path) }
        #expect(there == [false, true, true])
        #expect(FileManager.default.fileExists(atPath: first.socket))
        #expect(first.folder != second.folder)
    }
}
