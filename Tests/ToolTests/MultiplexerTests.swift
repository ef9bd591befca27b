import Testing

/// The lock screen in terminals that read strings in their own ways.
@Suite("guard in tmux and GNU screen (P-24)", .serialized)
struct MultiplexerTests {
    private static let passcode = "835291"
    /// What a program's output may end in the middle of, as `printf` has it.
    private static let begun = [
        #"\033P"#, #"\033Pq#0"#, #"\033Pq\007"#, #"\033_text"#, #"\033^text"#, #"\033Xtext"#, #"\033ktext"#,
        #"\033!text"#, #"\033]2;text"#, #"\033]8;;text"#, #"\033["#, #"\033[?25"#, #"\033"#, #"\033("#,
        #"\033P\033"#,
        #"\302\220text"#, #"\220text"#, #"\342\202"#, #"\033[?2026h"#,
        // What goes to the printer, and what only GNU screen takes for a string.
        #"\033[5i"#, #"\033[5i\033"#, #"\033[?5i"#, #"\033"text"#, #"\033 ktext"#, #"\033(Ptext"#,
        // Where it would be written, and how.
        #"\033[20;23r\033[?6h\0337\033[?6l\0338"#, #"\033[4h"#, #"\033%%@"#,
    ]

    @Test(
        "P-24: tmux shows the lock screen and none of the content, whatever the output was in the middle of",
        .enabled(if: Multiplexer.Kind.tmux.isInstalled, "tmux is not installed: apt-get install tmux"),
        .timeLimit(.minutes(10))
    )
    func tmux() async throws { try await covers(.tmux) }

    @Test(
        "P-24: GNU screen shows the lock screen and none of the content, whatever the output was in the middle of",
        .enabled(if: Multiplexer.Kind.screen.isInstalled, "screen is not installed: apt-get install screen"),
        .timeLimit(.minutes(10))
    )
    func screen() async throws { try await covers(.screen) }

    /// One session for all of them: each is printed on a line, locked and opened again.
    private func covers(_ kind: Multiplexer.Kind) async throws {
        let script =
            "while read -r next; do printf '\\033[H\\033[2J'; echo private-text; printf \"$next\"; done"
        let window = try await Multiplexer(
            kind,
            ["guard", "--", "sh", "-c", "stty -echo; echo ready; \(script)"]
        )
        do {
            try await window.wait("the set-up") { $0.contains("Create a passcode") }
            try await window.type(Self.passcode)
            try await window.wait("its second step") { $0.contains("Confirm passcode") }
            try await window.type(Self.passcode)
            try await window.wait("the program") { $0.contains("ready") }
            for sequence in Self.begun {
                // What is typed before guard has let the program go on is lost.
                try await window.type(sequence + "\n", again: .seconds(5), until: "the content") {
                    $0.contains("private-text")
                }
                try await window.type("\u{1D}")
                try await window.wait("the lock screen after \(sequence)") {
                    $0.contains("Enter Passcode") && !$0.contains("private-text")
                }
                try await window.type(Self.passcode)
                try await window.wait("the program after \(sequence)") { !$0.contains("Enter Passcode") }
            }
        } catch {
            await window.close()
            throw error
        }
        await window.close()
    }
}
