import Foundation
import Testing

@testable import portcullis

/// What is written around a screen of ours; what it does to a terminal is in the tests with one.
@Suite("ScreenModes (P-20, P-24)")
struct ScreenModesTests {
    /// Whether all of these stand in the text, one behind the other.
    private func stands(_ parts: [String], in text: String) -> Bool {
        var rest = text[...]
        for part in parts {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }

    private static let covers = [
        ScreenModes.enter(from: ProgramModes(), isUnicode: true),
        ScreenModes.enterLines(from: ProgramModes(), isUnicode: true),
    ]

    @Test(
        "P-24: the printer, Tektronix, VT52 mode and strings are left before everything else",
        arguments: covers
    )
    func breakOff(cover: String) {
        #expect(cover.hasPrefix(ScreenModes.breakOff))
        #expect(
            stands(
                ["\u{1B}[?4i\u{1B}[4i", "\u{1B}\u{3}", "\u{18}", "\u{1B}\\", "\u{1B}<", "\u{1B}[?9001l"],
                in: ScreenModes.breakOff
            )
        )
    }

    @Test("P-20: focus reports are asked for anew also of a printer, a drawing, a VT52 and a string")
    func renewal() {
        #expect(
            stands(
                ["\u{1B}[?4i\u{1B}[4i", "\u{1B}\u{3}", "\u{1B}\\", "\u{1B}<", "\u{1B}[?1004h"],
                in: ScreenModes.focusReportsAgain
            )
        )
        // Old consoles show the last character of it.
        #expect(!ScreenModes.focusReportsAgain.contains("\u{1B} F"))
    }

    @Test(
        "P-24: a screen of ours switches what it needs, whatever the program seems to have switched",
        arguments: covers
    )
    func legible(cover: String) {
        let needed = [
            "\u{1B}[?6l", "\u{1B}[?69l", "\u{1B}[r", "\u{1B}[4l", "\u{1B}[12h", "\u{1B}[2l", "\u{1B}[20l",
            "\u{1B}%G", "\u{1B}[0$~",
            "\u{1B}]104\u{1B}\\", "\u{1B}]110\u{1B}\\", "\u{1B}]111\u{1B}\\", "\u{1B} F", "\u{1B}[=0;1u",
            "\u{1B}[?1016l", "\u{1B}[?1003l", "\u{1B}[>0;1T\u{1B}[22;0t\u{1B}]0;", "\u{1B}[0m",
        ]
        for sequence in needed {
            #expect(stands([sequence, "\u{1B}[2J"], in: cover), "\(sequence.dropFirst())")
        }
    }

    @Test(
        "P-24: what is covered goes line by line: cleared as a whole it would go into a multiplexer's scrollback",
        arguments: covers
    )
    func linesFirst(cover: String) {
        #expect(stands(["\u{1B}[H\u{1B}[K\u{1B}[2;1H\u{1B}[J", "\u{1B}[2J"], in: cover))
        #expect(cover.components(separatedBy: "\u{1B}[2J").count == 2)
        var modes = ProgramModes()
        modes.set(1049, true)
        for end in [ScreenModes.close(from: modes), ScreenModes.closeLines(from: modes)] {
            #expect(stands(["\u{1B}[?1049l", "\u{1B}[K\u{1B}[2;1H\u{1B}[J", "\u{1B}[2J"], in: end))
        }
    }

    @Test("P-24: where the environment names another encoding, none is chosen")
    func encoding() {
        #expect(!ScreenModes.enter(from: ProgramModes(), isUnicode: false).contains("\u{1B}%"))
    }

    @Test("P-24: the normal screen keeps its cursor: what may move it comes once the other one is shown")
    func cursor() {
        let cover = ScreenModes.enter(from: ProgramModes(), isUnicode: true)
        for sequence in ["\u{1B}[?6l", "\u{1B}[r", "\u{1B}[=0;1u", "\u{1B}[>0;1T", "\u{1B} F"] {
            #expect(stands(["\u{1B}[?1049h", sequence], in: cover), "\(sequence.dropFirst())")
        }
        var modes = ProgramModes()
        modes.margins.setRows([2, 5])
        #expect(stands(["\u{1B}[2;5r", "\u{1B}[?1049l"], in: ScreenModes.leave(to: modes)))
        modes.set(1049, true)
        #expect(stands(["\u{1B}[2;5r", "\u{1B}8"], in: ScreenModes.leave(to: modes)))
        #expect(stands(["\u{1B}7", "\u{1B}[2;5r", "\u{1B}8"], in: ScreenModes.leaveLines(to: modes)))
    }

    @Test("P-24: our own mouse and the program's take turns")
    func mouse() {
        var modes = ProgramModes()
        for mode in [1002, 1006, 1016] { modes.set(mode, true) }
        let cover = ScreenModes.enter(from: modes, isUnicode: true)
        #expect(stands(["\u{1B}[?1016l", "\u{1B}[?1000h", "\u{1B}[?1006h"], in: cover))
        #expect(
            stands(
                ["\u{1B}[?1006l", "\u{1B}[?1000l", "\u{1B}[?1002h", "\u{1B}[?1006h", "\u{1B}[?1016h"],
                in: ScreenModes.leave(to: modes)
            )
        )
    }
}
