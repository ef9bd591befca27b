import LockScreens
import PasscodeLock
import TerminalEmulator
import TerminalScreens
import Testing

@Suite("Screens as they are drawn (P-30, P-32)", .timeLimit(.minutes(5)))
struct ScreenSnapshotTests {
    private func lines(
        _ content: ScreenContent,
        _ columns: Int,
        _ rows: Int,
        unicode: Bool = true,
        shake: Int = 0
    ) -> [String] {
        ScreenPainter(TerminalAbilities(unicode: unicode)).paint(
            content,
            size: TerminalSize(columns: columns, rows: rows),
            shake: shake
        ).canvas.lines
    }

    private func expect(_ found: [String], _ wanted: String) {
        // A blank after the bar keeps editors from trimming what matters.
        let expected = wanted.split(separator: "\n", omittingEmptySubsequences: false).map { $0.dropFirst() }
        #expect(found == expected.map(String.init), "\n\(found.map { "|" + $0 }.joined(separator: "\n"))")
    }

    @Test("P-32: the lock screen at 40×12 after a wrong passcode")
    func lockSmall() {
        expect(
            lines(
                SampleScreens.lock(filled: 3, message: ScreenMessage(.error, "Incorrect passcode")),
                40,
                12
            ),
            """
            |            ⛨ Enter Passcode
            |
            |            ●  ●  ●  ○  ○  ○
            |           Incorrect passcode
            |
            |           1       2       3
            |           4       5       6
            |           7       8       9
            |                   0       ⌫
            |
            |     ◍ Touch ID    Forgot Passcode?
            |
            """
        )
    }

    @Test("P-33: a question over the lock screen at 40×12")
    func alertSmall() {
        expect(
            lines(SampleScreens.forgotten, 40, 12),
            """
            |            ⛨ Enter Passcode
            |
            | ╭────────────────────────────────────╮
            | │          Forgot Passcode?          │
            | │   You will need to log in again.   │
            | │   Your passcode will be removed.   │
            | │                                    │
            | │          Cancel    Logout          │
            | ╰────────────────────────────────────╯
            |
            |     ◍ Touch ID    Forgot Passcode?
            |
            """
        )
    }

    @Test("P-32: the lock screen at 80×24, counting down")
    func lockRoomy() {
        expect(
            lines(SampleScreens.lock(message: ScreenMessage(.countDown, "Try again in 1 min")), 80, 24),
            """
            |
            |
            |                                       ⛨
            |                                 Enter Passcode
            |
            |                                ○  ○  ○  ○  ○  ○
            |                               Try again in 1 min
            |
            |                           ╭─────╮  ╭─────╮  ╭─────╮
            |                           │  1  │  │  2  │  │  3  │
            |                           ╰─────╯  ╰─────╯  ╰─────╯
            |                           ╭─────╮  ╭─────╮  ╭─────╮
            |                           │  4  │  │  5  │  │  6  │
            |                           ╰─────╯  ╰─────╯  ╰─────╯
            |                           ╭─────╮  ╭─────╮  ╭─────╮
            |                           │  7  │  │  8  │  │  9  │
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
    }

    @Test("P-37: a list of switches and choices at 40×12")
    func list() {
        expect(
            lines(SampleScreens.settings, 40, 12),
            """
            |               ⛨ Security
            |
            |
            |  Passcode                          ━●
            |  Change Passcode
            |  Require Passcode
            |    ○ Immediately
            |    ◉ After 5 seconds
            |    ○ After 1 minute
            |    ○ After 5 minutes
            |    ○ Never
            |  Touch ID                          ○━
            """
        )
    }

    @Test("P-30: less than 24×10 says in a few lines what is asked for, and that there is no room for more")
    func tiny() {
        expect(
            lines(SampleScreens.lock(filled: 3, message: ScreenMessage(.error, "Incorrect passcode")), 20, 5),
            """
            |   Enter Passcode
            |        3/6
            | Incorrect passcode
            |  Too small: 24×10
            |
            """
        )
        #expect(lines(SampleScreens.lock(filled: 3), 39, 1) == ["          Enter Passcode 3/6"])
    }

    @Test("P-30: at 120×40 it is the same picture as at 80×24, in the middle")
    func large() {
        func picture(_ lines: [String]) -> [String] {
            lines.map { String($0.trimmingPrefix { $0 == " " }) }.filter { !$0.isEmpty }
        }
        for content in SampleScreens.all where content.alert == nil {
            #expect(picture(lines(content, 120, 40)) == picture(lines(content, 80, 24)))
        }
    }

    @Test("P-30: without Unicode every character is ASCII")
    func ascii() {
        for content in SampleScreens.all {
            for line in lines(content, 80, 24, unicode: false) {
                #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(line)")
            }
        }
    }

    @Test("P-30: a shake moves the dots to both sides by 10·sin(2πt), and comes to rest")
    func shake() {
        let offsets = (0...10).map { Shake.cells(at: Double($0) / 10) }
        #expect(offsets == [0, 1, 2, 2, 1, 0, -1, -2, -2, -1, 0])
        let rest = lines(SampleScreens.lock(), 40, 12)
        let moved = lines(SampleScreens.lock(), 40, 12, shake: 2)
        #expect(moved[2] == "  " + rest[2])
        #expect(moved[0] == rest[0])
    }

    @Test(
        "P-30: at every size from 40×12 title, entry, message, pad and controls are there; smaller never fails"
    )
    func everySize() {
        let content = SampleScreens.lock(filled: 2, message: ScreenMessage(.error, "Incorrect passcode"))
        for columns in [1, 2, 5, 20, 39, 40, 41, 60, 80, 200] {
            for rows in Array(1...30) + [60] {
                for other in SampleScreens.all { _ = lines(other, columns, rows) }
                guard columns >= 40, rows >= 12 else { continue }
                let text = lines(content, columns, rows).joined(separator: "\n")
                for part in [
                    "Enter Passcode", "●  ●  ○", "Incorrect passcode", "⌫", "Touch ID", "Forgot Passcode?",
                ] {
                    #expect(text.contains(part), "\(columns)×\(rows): \(part)")
                }
                for digit in 0...9 { #expect(text.contains(String(digit)), "\(columns)×\(rows): \(digit)") }
            }
        }
    }
}
