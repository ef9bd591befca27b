import Foundation
import TerminalEmulator
import Testing

@testable import TerminalHost

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
        ScreenModes.enter(from: ProgramModes(), isUnicode: true, around: .none, titled: "Portcullis"),
        ScreenModes.enterLines(from: ProgramModes(), isUnicode: true, around: .none, titled: "Portcullis"),
    ]

    @Test(
        "P-24: the printer, Tektronix, VT52 mode and strings are left before everything else",
        arguments: covers
    )
    func breakOff(cover: String) {
        let breakOff = ScreenModes.breakOff(around: .none)
        #expect(cover.hasPrefix(breakOff))
        #expect(
            stands(
                ["\u{1B}[?4i\u{1B}[4i", "\u{1B}\u{3}", "\u{18}", "\u{1B}\\", "\u{1B}<", "\u{1B}[?9001l"],
                in: breakOff
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
            "\u{1B}[?64h", "\u{1B}[?1016l", "\u{1B}[?1003l", "\u{1B}[>0;1T\u{1B}[22;0t\u{1B}]0;", "\u{1B}[0m",
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

    @Test(
        "the modes that a stop takes back are set again after it",
        arguments: [GuardFace.drawn, .lines(isTyped: true), .lines(isTyped: false)]
    )
    func stop(face: GuardFace) {
        var modes = ProgramModes()
        for mode in [1000, 1049, 2004] { modes.set(mode, true) }
        modes.set(25, false)
        var terminal = TerminalEmulator(columns: 80, rows: 24)
        let program = "\u{1B}[?1000h\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l"
        terminal.write(Array((face.begin + program).utf8)[...])
        let before = terminal.modes
        terminal.write(Array(face.pause(isCovered: false, modes).utf8)[...])
        #expect(terminal.modes == TerminalEmulator.modesAtFirst)
        terminal.write(Array(face.resume(isCovered: false, modes).utf8)[...])
        #expect(terminal.modes == before)
    }

    @Test("P-24: the title that lines of text have saved is dropped at the end, and none is shown")
    func titleAfterLines() {
        let end = ScreenModes.closeLines(from: ProgramModes())
        #expect(stands(["\u{1B}[23;0t", "\u{1B}]0;\u{1B}\\"], in: end))
    }

    @Test("P-24: a page that was not shown with its cursor is put back as it was")
    func pages() {
        var modes = ProgramModes()
        modes.set(64, false)
        let cover = ScreenModes.enter(from: modes, isUnicode: true, around: .none, titled: "Portcullis")
        #expect(stands(["\u{1B}[?1049h", "\u{1B}[?64h", "\u{1B}[2J"], in: cover))
        #expect(ScreenModes.leave(to: modes).contains("\u{1B}[?64l"))
        #expect(!ScreenModes.leave(to: ProgramModes()).contains("\u{1B}[?64"))
    }

    @Test("P-24: in a multiplexer the terminal around it is taken back, too, and loses its pictures")
    func around() {
        let tmux = SurroundingTerminals(environment: ["TMUX": "/tmp/tmux,1,0", "TERM": "screen-256color"])
        let screen = SurroundingTerminals(environment: ["STY": "1.pts", "TERM": "screen"])
        for enter in [ScreenModes.enter, ScreenModes.enterLines] {
            let inTmux = enter(ProgramModes(), true, tmux, "Portcullis")
            // Behind it, so that tmux itself is no longer in the middle of a string.
            #expect(
                stands(["\u{18}\u{1B}\\", "\u{1B}Ptmux;", "\u{18}\u{1B}\u{1B}\\", "\u{1B}\\"], in: inTmux)
            )
            let picture = "\u{1B}Ptmux;\u{1B}\u{1B}_Ga=d,q=2\u{1B}\u{1B}\\\u{1B}\\"
            #expect(stands([picture, "\u{1B}[2J"], in: inTmux))
            let inScreen = enter(ProgramModes(), true, screen, "Portcullis")
            #expect(stands(["\u{1B}P", "\u{18}\u{1B}\u{1B}\\\u{1B}P\\", "\u{1B}\\"], in: inScreen))
            #expect(
                stands(["\u{1B}P\u{1B}_Ga=d,q=2\u{1B}\u{1B}\\\u{1B}P\\\u{1B}\\", "\u{1B}[2J"], in: inScreen)
            )
            #expect(!inScreen.contains("tmux"))
            // The margins, the origin and the guarded cells of the terminal around, which clearing would heed.
            let freed = [
                "\u{1B}P\u{1B}7", "\u{1B}[?6l", "\u{1B}[r", "\u{1B}8\u{1B}[0\"q\u{1B}\\", "\u{1B}[H\u{1B}[L",
                "\u{1B}[2J",
            ]
            #expect(stands(freed, in: inScreen))
            #expect(!enter(ProgramModes(), true, .none, "Portcullis").contains("\u{1B}[L"))
        }
    }

    @Test("P-24: nothing is passed on where no multiplexer is told of, and not as one for the other")
    func environment() {
        for term in ["xterm-256color", "linux", "dumb", ""] {
            let around = SurroundingTerminals(environment: ["TERM": term, "TMUX": "", "STY": ""])
            #expect(around == .none && around.passOn("x").isEmpty && !around.hasScreen)
        }
        #expect(SurroundingTerminals(environment: ["TERM": "screen.xterm-256color"]).hasScreen)
        #expect(!SurroundingTerminals(environment: ["TERM": "screen", "TMUX": "x"]).hasScreen)
        #expect(
            SurroundingTerminals(environment: ["TERM": "tmux-256color"]).passOn("x").hasPrefix(
                "\u{1B}Ptmux;x"
            )
        )
        let both = ["STY": "x", "TMUX": "x"]
        let inner = SurroundingTerminals(environment: both.merging(["TERM": "tmux-256color"]) { $1 })
        #expect(inner.hasScreen && inner.passOn("x").hasPrefix("\u{1B}Ptmux;x"))
        let outer = SurroundingTerminals(environment: both.merging(["TERM": "screen.xterm"]) { $1 })
        // tmux's own string, in two strings of GNU screen.
        #expect(
            outer.passOn("x") == "\u{1B}Px\u{1B}\\" + "\u{1B}P\u{1B}Ptmux;x\u{1B}\u{1B}\\\u{1B}P\\\u{1B}\\"
        )
        // In either order; GNU screen would hand on what is for tmux as text, and so begins a string before.
        let unknown = SurroundingTerminals(environment: both.merging(["TERM": "screen"]) { $1 })
        let (begin, end) = ("\u{1B}P\u{1B}_\u{1B}\\", "\u{1B}P\u{F}\u{1B}\u{1B}\\\u{1B}P\\\u{1B}\\")
        let forTmux = ["\u{1B}Ptmux;x\u{1B}\\", "\u{1B}Ptmux;\u{1B}\u{1B}Px\u{1B}\u{1B}\\\u{1B}\\"]
        let forScreen = ["\u{1B}Px\u{1B}\\", "\u{1B}P\u{1B}Ptmux;x\u{1B}\u{1B}\\\u{1B}P\\\u{1B}\\"]
        let wanted = forTmux.map { begin + $0 + end } + forScreen.map { $0 + end }
        #expect(unknown.passOn("x") == wanted.joined())
    }

    @Test("P-24: where the environment names another encoding, none is chosen")
    func encoding() {
        #expect(
            !ScreenModes.enter(from: ProgramModes(), isUnicode: false, around: .none, titled: "Portcullis")
                .contains("\u{1B}%")
        )
    }

    @Test("P-24: the normal screen keeps its cursor: what may move it comes once the other one is shown")
    func cursor() {
        let cover = ScreenModes.enter(
            from: ProgramModes(),
            isUnicode: true,
            around: .none,
            titled: "Portcullis"
        )
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
        let cover = ScreenModes.enter(from: modes, isUnicode: true, around: .none, titled: "Portcullis")
        #expect(stands(["\u{1B}[?1016l", "\u{1B}[?1000h", "\u{1B}[?1006h"], in: cover))
        #expect(
            stands(
                ["\u{1B}[?1006l", "\u{1B}[?1000l", "\u{1B}[?1002h", "\u{1B}[?1006h", "\u{1B}[?1016h"],
                in: ScreenModes.leave(to: modes)
            )
        )
    }
}
