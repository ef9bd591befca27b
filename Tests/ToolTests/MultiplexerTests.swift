import Foundation
import PortcullisTesting
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
    func tmux() async throws { try await covers(.tmux, Self.begun) }

    @Test(
        "P-24: GNU screen shows the lock screen and none of the content, whatever the output was in the middle of",
        .enabled(if: Multiplexer.Kind.screen.isInstalled, "screen is not installed: apt-get install screen"),
        .timeLimit(.minutes(10))
    )
    func screen() async throws { try await covers(.screen, Self.begun) }

    private static let areInstalled = Multiplexer.Kind.allCases.allSatisfy(\.isInstalled)

    @Test(
        "P-24: GNU screen in another terminal shows the lock screen there, whatever it was to pass on or to tell",
        .enabled(if: areInstalled, "tmux and screen are not both installed: apt-get install tmux screen"),
        .timeLimit(.minutes(10))
    )
    func screenInTmux() async throws {
        let texts = [
            // Messages, of which one is not over.
            #"\033^text"#, #"\033!text"#, #"\033^text\033\\"#, #"\033!text\033\\"#, #"\033(!text\033\\"#,
            #"\302\236text\033\\"#, #"\033!one\033\\\033!two\033\\"#, #"\033P\033^text\033\\"#,
            // What the terminal around it is left in the middle of.
            #"\033P\033Pq#0;2;0;0;0~~~~\033\\"#, #"\033P\033_text\033\\"#, #"\033P\033]2;text\033\\"#,
            #"\033P\033[1;\033\\"#,
        ]
        try await covers(.screen, texts, in: .tmux)
    }

    @Test(
        "P-24: tmux in another terminal shows the lock screen there, whatever it was to pass on",
        .enabled(if: Multiplexer.Kind.tmux.isInstalled, "tmux is not installed: apt-get install tmux"),
        .timeLimit(.minutes(10))
    )
    func tmuxInTmux() async throws {
        let texts = [
            #"\033Ptmux;\033\033Pq#0;2;0;0;0~~~~\033\\"#, #"\033Ptmux;\033\033_text\033\\"#,
            #"\033Ptmux;\033\033]2;text\033\\"#, #"\033Ptmux;\033\033[1;\033\\"#,
        ]
        try await covers(.tmux, texts, in: .tmux)
    }

    @Test(
        "P-24: in the lower region of a split GNU screen the lock screen covers the content there",
        .enabled(if: areInstalled, "tmux and screen are not both installed: apt-get install tmux screen"),
        .timeLimit(.minutes(10))
    )
    func split() async throws {
        let texts = ["text", #"\033^text"#, #"\033P\033Pq#0;2;0;0;0~~~~\033\\"#, #"\033P\033_text\033\\"#]
        try await covers(.screen, texts, in: .tmux) { try await $0.splitInner() }
    }

    @Test(
        "P-24: a lock while a person looks through the history in tmux shows the lock screen, and not the copy",
        .enabled(if: Multiplexer.Kind.tmux.isInstalled, "tmux is not installed: apt-get install tmux"),
        .timeLimit(.minutes(5))
    )
    func copyMode() async throws {
        let window = try await Multiplexer(
            .tmux,
            ["guard", "--idle", "3s", "--", "sh", "-c", "echo ready; cat"]
        )
        do {
            try await window.wait("the set-up") { $0.contains("Create a passcode") }
            try await window.type(Self.passcode)
            try await window.wait("its second step") { $0.contains("Confirm passcode") }
            try await window.type(Self.passcode)
            try await window.wait("the program") { $0.contains("ready") }
            try await window.lookBack()
            #expect(try await window.isLookingBack)
            try await window.wait("the lock screen") { $0.contains("Enter Passcode") }
            try await BoundedWait.until("the pane itself", every: .milliseconds(50)) {
                try await !window.isLookingBack
            }
        } catch {
            await window.close()
            throw error
        }
        await window.close()
    }

    /// One session for all of them: each is printed on a line, locked and opened again.
    ///
    /// - Parameter arrange: is called before the program starts.
    private func covers(
        _ kind: Multiplexer.Kind,
        _ texts: [String],
        in outer: Multiplexer.Kind? = nil,
        arrange: (Multiplexer) async throws -> Void = { _ in }
    ) async throws {
        // At an empty line the content, and only once it is seen what comes behind it.
        let script = """
            while read -r next; do if [ -z "$next" ]; then printf '\\033[H\\033[2J'; echo private-text; \
            else printf "$next"; : > "$HOME/printed"; fi; done
            """
        let window = try await Multiplexer(
            kind,
            ["guard", "--", "sh", "-c", "stty -echo; echo ready; \(script)"],
            in: outer
        )
        do {
            try await window.wait("the set-up") { $0.contains("Create a passcode") }
            try await arrange(window)
            try await window.type(Self.passcode)
            try await window.wait("its second step") { $0.contains("Confirm passcode") }
            try await window.type(Self.passcode)
            try await window.wait("the program") { $0.contains("ready") }
            for sequence in texts {
                // What is typed before guard has let the program go on is lost.
                try await window.type("\n", again: .seconds(5), until: "the content") {
                    $0.contains("private-text")
                }
                try await window.type(sequence + "\n")
                let printed = window.home.appending(path: "printed")
                try await window.wait(sequence) { _ in FileManager.default.fileExists(atPath: printed.path) }
                try FileManager.default.removeItem(at: printed)
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
