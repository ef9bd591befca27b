import Foundation
import Glibc
import Testing

@Suite("An anchor that cannot be written (K-6, K-10)", .timeLimit(.minutes(2)))
struct AnchorWarningTests {
    private static let warning = "portcullis: warning: the anchor was not written: "
    /// What keeps root, too, from writing into a file without the right to.
    private static let asOwner =
        geteuid() == 0
        ? "exec \(FocusHome.setpriv) --bounding-set=-dac_override --inh-caps=-dac_override " : "exec "

    @Test(
        "K-10: a command whose change has no record in the anchor says so once, at its end",
        .enabled(
            if: geteuid() != 0 || FileManager.default.isExecutableFile(atPath: FocusHome.setpriv),
            "root needs setpriv, to be kept from a file"
        )
    )
    func told() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let anchor = tool.home.appendingPathComponent("anchor").path
        func run(_ command: String, input: String = "") async throws -> Tool.Outcome {
            let parts = command.split(separator: " --- ", maxSplits: 1)
            let program = parts.count > 1 ? " -- \(parts[1])" : ""
            return try await tool.run(
                shell: Self.asOwner + "\"$0\" \(parts[0]) --anchor \"$HOME/anchor\"\(program)",
                input: input
            )
        }
        let commands: [(command: String, input: String, status: Int32)] = [
            ("secret set a", "x", 0), ("passcode verify", "270954\n", 1), ("guard --- true", "", 0),
            ("passcode change", "834912\n619283\n", 0),
        ]
        let set = try await run("passcode set", input: "834912\n")
        #expect(set.status == 0 && !set.errors.contains(Self.warning), "\(set.errors)")
        for (command, input, status) in commands {
            try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: anchor)
            let outcome = try await run(command, input: input)
            #expect(outcome.status == status, "\(command): \(outcome.errors)")
            let lines = outcome.errors.split(separator: "\n").count { $0.hasPrefix(Self.warning) }
            #expect(lines == 1, "\(command): \(outcome.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: anchor)
        }
        let right = try await run("passcode verify", input: "619283\n")
        #expect(right.status == 0 && !right.errors.contains(Self.warning), "\(right.errors)")
    }
}
