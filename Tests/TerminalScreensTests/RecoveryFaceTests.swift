import LockScreens
import TerminalScreens
import Testing

@Suite("The recovery screen as it is drawn (H-2, P-30)", .timeLimit(.minutes(5)))
struct RecoveryFaceTests {
    private func expect(_ content: ScreenContent, _ columns: Int, _ rows: Int, _ wanted: String) {
        let found = ScreenPainter(TerminalAbilities(unicode: true)).paint(
            content,
            size: TerminalSize(columns: columns, rows: rows)
        ).canvas.lines
        // The bar at the start of each line keeps editors from trimming blanks.
        let expected = wanted.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0.dropFirst())
        }
        #expect(found == expected, "\n\(found.map { "|" + $0 }.joined(separator: "\n"))")
    }

    private let wrong = SampleScreens.recovery(
        filled: 25,
        message: ScreenMessage(.error, "Incorrect recovery passphrase")
    )

    @Test("H-2: at 80×24, after a wrong passphrase")
    func roomy() {
        expect(
            wrong,
            80,
            24,
            """
            |
            |
            |
            |
            |
            |
            |
            |                                       ⛨
            |                                Recover Passcode
            |                           Enter recovery passphrase
            |
            |                       ╭────────────────────────────────╮
            |                       │ •••••••••••••••••••••••••      │
            |                       ╰────────────────────────────────╯
            |                         Incorrect recovery passphrase
            |
            |                                 Done    Cancel
            |
            |
            |
            |
            |
            |
            |
            """
        )
    }

    @Test("H-2: at 40×12")
    func small() {
        expect(
            wrong,
            40,
            12,
            """
            |
            |                   ⛨
            |            Recover Passcode
            |       Enter recovery passphrase
            |
            |   ╭────────────────────────────────╮
            |   │ •••••••••••••••••••••••••      │
            |   ╰────────────────────────────────╯
            |     Incorrect recovery passphrase
            |
            |             Done    Cancel
            |
            """
        )
    }

    @Test("H-2: at 24×10 a long passphrase stays within its field")
    func smallest() {
        expect(
            SampleScreens.recovery(filled: 1024),
            24,
            10,
            """
            |           ⛨
            |    Recover Passcode
            |     Enter recovery
            |       passphrase
            |
            |  [ •••••••••••••••  ]
            |
            |
            |     Done    Cancel
            |
            """
        )
    }

    @Test("H-2: the question after \"Forgot Passcode?\" at 80×24 and 40×12")
    func question() {
        expect(
            SampleScreens.forgottenRecoverable,
            80,
            24,
            """
            |
            |
            |                                       ⛨
            |                                 Enter Passcode
            |
            |                                ●  ●  ○  ○  ○  ○
            |
            |
            |               ╭────────────────────────────────────────────────╮
            |               │                Forgot Passcode?                │
            |               │ Your recovery passphrase sets a new passcode.  │
            |               │   Or log out: You will need to log in again.   │
            |               │         Your passcode will be removed.         │
            |               │                                                │
            |               │    Cancel    Recovery Passphrase    Logout     │
            |               ╰────────────────────────────────────────────────╯
            |                           ╰─────╯  ╰─────╯  ╰─────╯
            |                                    ╭─────╮  ╭─────╮
            |                                    │  0  │  │  ⌫  │
            |                                    ╰─────╯  ╰─────╯
            |
            |                         ◍ Touch ID    Forgot Passcode?
            |
            |
            """
        )
        expect(
            SampleScreens.forgottenRecoverable,
            40,
            12,
            """
            | ╭────────────────────────────────────╮
            | │          Forgot Passcode?          │
            | │  Your recovery passphrase sets a   │
            | │ new passcode. Or log out: You will │
            | │     need to log in again. Your     │
            | │     passcode will be removed.      │
            | │                                    │
            | │               Cancel               │
            | │        Recovery Passphrase         │
            | │               Logout               │
            | ╰────────────────────────────────────╯
            |
            """
        )
    }
}
