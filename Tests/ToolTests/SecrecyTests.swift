import Foundation
import TerminalEmulator
import Testing

@Suite("No secret in any output (P-4)")
struct SecrecyTests {
    private let passcode = "834912"
    private let wrong = "270954"

    @Test("P-4: no command's output, error or JSON holds a passcode, nor does the store's file")
    func outputs() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let runs: [([String], String)] = [
            (["passcode", "set"], passcode), (["passcode", "set"], passcode),
            (["passcode", "verify"], passcode),
            (["passcode", "verify", "--json"], wrong), (["passcode", "verify"], passcode + "0"),
            (["passcode", "change"], "\(wrong)\n\(passcode)"), (["passcode", "status", "--json"], ""),
            (["passcode", "remove"], wrong), (["passcode", "verify", "--lock-timeout", "bad"], passcode),
            (["passcode", "verify", "--store", "/nonexistent/\(UUID())"], passcode),
        ]
        for (arguments, input) in runs {
            let outcome = try await tool.run(arguments, input: Data((input + "\n").utf8))
            for secret in [passcode, wrong] {
                #expect(!outcome.text.contains(secret), "\(arguments)")
                #expect(!outcome.errors.contains(secret), "\(arguments)")
            }
        }
        let file = try Data(contentsOf: tool.store)
        #expect(file.range(of: Data(passcode.utf8)) == nil)
    }

    @Test("K-2, P-4: names and values lie in the file only encrypted, and no error shows a value")
    func storedItems() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let (name, value) = ("a-name-to-look-for", "a value to look for")
        #expect(try await tool.run("secret", "set", name, input: value).status == 0)
        let file = try Data(contentsOf: tool.store)
        #expect(file.range(of: Data(name.utf8)) == nil)
        #expect(file.range(of: Data(value.utf8)) == nil)
        let outcome = try await tool.run(
            "secret",
            "import-lines",
            input: "{\"name\":\"\",\"value\":\"c2VjcmV0\"}\n"
        )
        #expect(outcome.status == 2)
        #expect(!outcome.errors.contains("c2VjcmV0") && !outcome.errors.contains("secret\""))
    }

    @Test("P-4: a core dump taken while a passcode is checked holds no passcode")
    func coreDump() async throws {
        let pattern = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        guard !pattern.hasPrefix("|"), !pattern.hasPrefix("/") else {
            print("skipped: core dumps go elsewhere here: \(pattern)")
            return
        }
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "\(passcode)\n")

        // Held by the test, the lock keeps the tool waiting with the passcode in its memory.
        let lock = unsafe open(tool.store.path + ".lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
        let (process, input, output, errors) = tool.process([])
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = tool.home
        process.arguments = [
            "-c", "ulimit -c unlimited && exec \"$0\" passcode verify --lock-timeout 59s",
            Tool.executable.path,
        ]
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(passcode)\n".utf8))
        try await eventually("it waits for the lock") { Self.hasOpen(process.processIdentifier, ".lock") }
        kill(process.processIdentifier, SIGABRT)
        await ended(process)
        #expect(process.terminationReason == .uncaughtSignal)

        let files = try FileManager.default.contentsOfDirectory(
            at: tool.home,
            includingPropertiesForKeys: nil
        )
        let core = try #require(files.first { $0.lastPathComponent.hasPrefix("core") }, "no core was written")
        let dump = try Data(contentsOf: core, options: .alwaysMapped)
        #expect(dump.range(of: Data("--lock-timeout".utf8)) != nil, "the dump is one of the tool")
        #expect(dump.range(of: Data(passcode.utf8)) == nil)
        let said = [output, errors].map {
            String(decoding: $0.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(said == ["", ""], "no report of registers and memory")
    }

    @Test("P-4: digits typed on guard's lock screen lie in no memory that a core dump would hold")
    func typedDigits() async throws {
        let run = try GuardedRun(["guard", "--", "sh", "-c", "read x"])
        try await run.setPasscode(passcode)
        try await run.lock()
        run.type(String(passcode.prefix(5)))
        try await run.wait("five dots") { $0.text.count { $0 == "●" } == 5 }
        let typed = Data(passcode.prefix(5).utf8)
        let memory = try Memory(of: run.process)
        #expect(
            try memory.occurrences(of: Data("Enter Passcode".utf8), dumped: true) > 0,
            "it is the tool's memory"
        )
        #expect(try memory.occurrences(of: typed, dumped: false) > 0, "the entry itself, in protected pages")
        #expect(try memory.occurrences(of: typed, dumped: true) == 0)
        try await run.unlock(String(passcode.suffix(1)))
        #expect(try memory.occurrences(of: Data(passcode.utf8), dumped: false) == 0, "zeroed when done")
        run.type("\n")
        #expect(try await run.waitForEnd() == 0)
    }

    private static func hasOpen(_ process: Int32, _ suffix: String) -> Bool {
        let folder = "/proc/\(process)/fd"
        let links = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return links.contains { link in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(link)"))?.hasSuffix(
                suffix
            ) == true
        }
    }

    private func eventually(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            try #require(ContinuousClock.now < deadline, "\(what)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func ended(_ process: Process) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume()
            }
        }
    }
}
