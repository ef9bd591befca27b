import Foundation
import Glibc
import Testing

@testable import SealedSession

/// A home whose store is sealed, or is going to be; removed with ``remove()``.
struct SealedHome: Sendable {
    static let passcode = "835291"
    static let passphrase = "six ways to leave the island"

    /// The tool as it is run elsewhere on the machine, key file in hand.
    let outside: Tool

    /// A home with two items: `open`, which is `afterFirstUnlock`, and `shut`, which is `whenUnlocked`.
    init() async throws {
        var tool = try Tool()
        tool.variables = ["XDG_DATA_HOME": tool.home.path, "XDG_CONFIG_HOME": tool.home.path]
        outside = tool
        try Data("\(Self.passphrase)\n".utf8).write(to: phrase)
        try await outside.run("secret", "set", "shut", input: "shut-value")
        try await outside.run(
            "secret",
            "set",
            "open",
            "--accessibility",
            "afterFirstUnlock",
            input: "open-value"
        )
    }

    func remove() { outside.remove() }

    var phrase: URL { outside.home.appendingPathComponent("phrase") }
    var store: URL { outside.home.appendingPathComponent("portcullis/default.keystore") }
    /// The path of the store, as requests to its agent name it.
    func realPath() throws -> String { try #require(AgentPlace.canonical(store.path)) }
    var seal: [String] { ["--seal", "--recovery-passphrase-file", phrase.path] }

    /// Runs `guard` around a shell that says "ready" and then obeys what is typed.
    ///
    /// The run removes the home when it goes: keep it for as long as the home is of use.
    func guarded(_ options: [String] = []) throws -> GuardedRun {
        try? FileManager.default.removeItem(at: agentNote)
        let script = """
            echo "$PORTCULLIS_AGENT" > \(agentNote.path); echo rea""dy; while read -r line; do eval "$line"; done
            """
        return try GuardedRun(
            ["guard"] + options + ["--", "sh", "-c", script],
            home: outside.home,
            variables: ["XDG_RUNTIME_DIR=\(outside.home.path)"]
        )
    }

    private var agentNote: URL { outside.home.appendingPathComponent("agent") }

    /// Where the session's processes find its agent.
    func agent() throws -> String {
        try String(contentsOf: agentNote, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// The tool as it is run by a process of the session.
    func inside() throws -> Tool {
        var tool = outside
        tool.variables["PORTCULLIS_AGENT"] = try agent()
        return tool
    }

    /// Starts a session that seals the store, with the passcode set on the way.
    func sealed() async throws -> GuardedRun {
        let run = try guarded(seal)
        try await run.setPasscode(Self.passcode)
        try await run.waitForText("ready")
        return run
    }
}
