import Foundation
import GcryptKeystore
import PasscodeLock
import PortcullisCore
import SystemClock
import Testing

extension Tool {
    /// Gives the passcode another policy, as an app on the same store does.
    func setThrottle(_ policy: ThrottlePolicy) async throws {
        let keystore = try await GcryptKeystore.open(
            KeystoreConfiguration(path: store.path, credential: .keyFile(keyFile.path))
        )
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: keystore, clock: SystemClock()),
            session: FixedSession(nil),
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        try await service.setThrottle(policy)
    }

    /// Whether no removed or replaced value is in the store's file, so that a compaction takes out nothing.
    func hasPresentValuesOnly() async throws -> Bool {
        let frames = try await run("secret", "check", "--json").json["frames"] as? Int
        guard try await run("secret", "compact").status == 0 else { return false }
        let least = try await run("secret", "check", "--json").json["frames"] as? Int
        return frames != nil && frames == least
    }
}

@Suite("portcullis passcode")
struct PasscodeToolTests {
    @Test("P-1: set, verify, change, remove and status, with their exit statuses and JSON")
    func wholeLife() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        var outcome = try await tool.run("passcode", "status", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.text == "{\"failures\":0,\"retryAfter\":0,\"set\":false}\n")

        #expect(try await tool.run("passcode", "verify", input: "834912\n").status == 1)
        #expect(try await tool.run("passcode", "remove", input: "834912\n").status == 1)

        #expect(!FileManager.default.fileExists(atPath: tool.store.path), "asking makes no store")

        #expect(try await tool.run("passcode", "set", input: "834912\n").status == 0)
        #expect(try await tool.run("passcode", "set", input: "834912\n").status == 2)
        #expect(try await tool.run("passcode", "verify", input: "834912\n").status == 0)
        #expect(
            try await tool.run("passcode", "verify", input: "834912").status == 0,
            "without a line's end"
        )
        #expect(try await tool.run("passcode", "verify", input: "834912\r\n").status == 0)

        outcome = try await tool.run("passcode", "verify", "--json", input: "270954\n")
        #expect(outcome.status == 1)
        #expect(outcome.text == "{\"failures\":1,\"result\":\"wrong\",\"retryAfter\":0}\n")
        #expect(try await tool.run("passcode", "status", "--json").json["failures"] as? Int == 1)

        #expect(try await tool.run("passcode", "change", input: "270954\n619283\n").status == 1)
        #expect(try await tool.run("passcode", "change", input: "834912\n619283\n").status == 0)
        #expect(try await tool.hasPresentValuesOnly(), "the old passcode's record")
        #expect(try await tool.run("passcode", "verify", input: "619283\n").status == 0)
        #expect(try await tool.run("passcode", "remove", input: "619283\n").status == 0)
        #expect(try await tool.hasPresentValuesOnly(), "the removed passcode's record")
        #expect(try await tool.run("passcode", "status", "--json").json["set"] as? Bool == false)
    }

    @Test("P-1: a passcode of the wrong format is refused with 2, and nothing in the store changes")
    func wrongFormat() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for text in ["12345\n", "1234567\n", "abcdef\n", "١٢٣٤٥٦\n", "\n"] {
            let outcome = try await tool.run("passcode", "set", input: text)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("portcullis: "))
        }
        try await tool.run("passcode", "set", input: "834912\n")
        let before = try Data(contentsOf: tool.store)
        for command in ["verify", "remove"] {
            #expect(try await tool.run("passcode", command, input: "12345\n").status == 2)
        }
        #expect(try await tool.run("passcode", "change", input: "834912\n123\n").status == 2)
        let missing = try await tool.run("passcode", "verify")
        #expect(missing.status == 2)
        #expect(missing.errors == "portcullis: the passcode is missing on standard input\n")
        let second = try await tool.run("passcode", "change", input: "834912\n")
        #expect(second.status == 2)
        #expect(second.errors == "portcullis: the new passcode is missing on standard input\n")
        #expect(try Data(contentsOf: tool.store) == before)
    }

    @Test("P-7: throttled is 5, with the time left; unlimited is chosen with --throttle")
    func throttle() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "834912\n")
        for failure in 1...5 {
            let outcome = try await tool.run("passcode", "verify", "--json", input: "270954\n")
            #expect(outcome.status == 1)
            #expect(outcome.json["failures"] as? Int == failure)
        }
        let outcome = try await tool.run("passcode", "verify", "--json", input: "834912\n")
        #expect(outcome.status == 5)
        let left = try #require(outcome.json["retryAfter"] as? Int)
        #expect((1...60).contains(left))
        #expect(
            try await tool.run("passcode", "verify", input: "834912\n").text.hasPrefix("Try again in ")
        )

        let user = ["--user", "bob"]
        #expect(
            try await tool.run(
                ["passcode", "set", "--throttle", "unlimited"] + user,
                input: Data("834912".utf8)
            ).status == 0
        )
        for _ in 0..<6 {
            #expect(
                try await tool.run(["passcode", "verify"] + user, input: Data("270954".utf8)).status == 1
            )
        }
        #expect(
            try await tool.run(["passcode", "verify"] + user, input: Data("834912".utf8)).status == 0
        )
    }

    @Test("P-7: at an app's limit no passcode is tried any more, and none is removed: 5")
    func limitOfApp() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "834912\n")
        try await tool.setThrottle(.unlimited.afterFailures(2, .signOut))
        #expect(try await tool.run("passcode", "verify", input: "270954\n").status == 1)
        let last = try await tool.run("passcode", "verify", input: "270954\n")
        #expect(last.status == 5)
        #expect(last.text == "\(PasscodeStrings.english.limitDue)\n")
        for command in ["verify", "remove"] {
            #expect(try await tool.run("passcode", command, input: "834912\n").status == 5)
        }
        let status = try await tool.run("passcode", "status", "--json").json
        #expect(status["set"] as? Bool == true)
        #expect(status["failures"] as? Int == 2)
    }

    @Test("P-8: an easily guessed passcode is taken with a warning on standard error")
    func weak() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run("passcode", "set", input: "123456\n")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("easily guessed"))
    }

    @Test("usage errors are 2, help is 0")
    func usage() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("passcode", "set", "--throttle", "never").status == 2)
        #expect(try await tool.run("passcode", "nonsense").status == 2)
        #expect(try await tool.run("nonsense").status == 2)
        #expect(try await tool.run("passcode", "status", "--user", "").status == 2)
        #expect(
            try await tool.run("passcode", "set", "--key-file", "a", "--passphrase-file", "b").status == 2
        )
        for arguments in [
            ["--help"], ["passcode", "--help"], ["secret", "set", "--help"], ["guard", "--help"],
        ] {
            let outcome = try await tool.run(arguments, input: Data())
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("USAGE"), "\(arguments)")
        }
    }

    @Test("P-6: a SIGKILL anywhere in verify never gives a free try")
    func killedVerify() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", "--throttle", "unlimited", input: "834912\n")
        var counted = 0
        for round in 0..<40 {
            let (process, input, _, _) = tool.process(["passcode", "verify"])
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data("270954\n".utf8))
            try input.fileHandleForWriting.close()
            // From before the store is opened to after the answer.
            usleep(UInt32(round * 2000))
            kill(process.processIdentifier, SIGKILL)
            let hadAnswered = await Self.ended(process)
            let failures = try #require(
                try await tool.run("passcode", "status", "--json").json["failures"] as? Int
            )
            // Never fewer than the answers given, and no more than the tries made.
            #expect(failures == counted || failures == counted + 1)
            if hadAnswered { #expect(failures == counted + 1, "it answered, so it was counted") }
            counted = failures
        }
        #expect(
            try await tool.run("passcode", "verify", input: "834912\n").status == 0,
            "and nothing broke"
        )
    }

    /// Whether the process came to its own end before the signal.
    private static func ended(_ process: Process) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationReason == .exit)
            }
        }
    }

    @Test("P-6: 1,000 wrong tries from 8 processes at once count as 1,000")
    func thousandTries() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", "--throttle", "unlimited", input: "834912\n")
        let statuses = try await withThrowingTaskGroup(of: [Int32].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var statuses: [Int32] = []
                    for _ in 0..<125 {
                        statuses.append(
                            try await tool.run(
                                "passcode",
                                "verify",
                                "--lock-timeout",
                                "60s",
                                input: "270954\n"
                            ).status
                        )
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.allSatisfy { $0 == 1 })
        #expect(try await tool.run("passcode", "status", "--json").json["failures"] as? Int == 1000)
    }
}
