import Testing

@testable import TerminalHost

@Suite("ModeTracker (P-20, P-24)")
struct ModeTrackerTests {
    private func tracker(after output: String) -> ModeTracker {
        var tracker = ModeTracker()
        _ = unsafe Array(output.utf8).withUnsafeBytes { unsafe tracker.scan($0) }
        return tracker
    }

    private static let zeros = String(repeating: "0", count: 70)
    private static let some = String(repeating: "1;", count: 20)
    /// More numbers than are kept.
    private static let many = String(repeating: "1;", count: 40)

    /// As many numbers as are kept before the one that counts, one fewer, and one more.
    private static let limits = (30...33).map { "\u{1B}[?" + String(repeating: "1;", count: $0) + "1004l" }

    private static let off: [String] =
        [
            "\u{1B}[?1004l", "\u{1B}[?10\u{1}04l", "\u{1B}[?1\u{7}0\u{7F}04\nl", "\u{1B}\u{1}[?1004l",
            "\u{1B}[?\(zeros)1004l", "\u{1B}[?\(some)1004l", "\u{1B}[?1004r", "\u{1B}[?1;1004r",
            "\u{1B}c", "\u{1B}[!p", "\u{9B}?1004l", "\u{1B}P\u{7}\u{1B}[?1004l", "\u{1B}k\u{9B}?1004l",
            "\u{1B}[12\u{1B}[?1004l", "\u{1B}(\u{1B}[?1004l", "\u{1B}[?\(many)1004l", "\u{1B}[?\(many)1004r",
            // Greater than a terminal's integers.
            "\u{1B}[?4294968300l", "\u{1B}[1\u{9B}?1004l", "\u{1B}\u{80}[?1004l", "\u{1B}\u{9B}?1004l",
        ] + limits

    @Test("P-20: focus reports that output switches off are noticed, however that is spelled", arguments: off)
    func focusOff(output: String) {
        #expect(tracker(after: "text é " + output).didEndFocusReports)
        var bytewise = ModeTracker()
        for byte in output.utf8 { _ = unsafe [byte].withUnsafeBytes { unsafe bytewise.scan($0) } }
        #expect(bytewise.didEndFocusReports)
    }

    @Test(
        "P-20: what switches something else off is not taken for it",
        arguments: [
            "\u{1B}[?100\u{18}4l", "\u{1B}[?1005l", "\u{1B}[1004l", "\u{1B}[?1004h", "?1004l",
            "\u{1B}]?1004l",
        ]
    )
    func otherOff(output: String) {
        #expect(!tracker(after: output).didEndFocusReports)
    }

    @Test("P-24: modes that a program saved and restored are put back as they are then")
    func savedModes() {
        #expect(!tracker(after: "\u{1B}[?1004h\u{1B}[?25l\u{1B}[?25r").modes.redo.contains("?25h"))
        let restored = tracker(after: "\u{1B}[?2004h\u{1B}[?2004s\u{1B}[?2004l\u{1B}[?2004r")
        #expect(restored.modes.redo.contains("\u{1B}[?2004h"))
    }

    @Test("P-20: in tmux a byte beyond ASCII behind ESC is dropped, and the sequence goes on")
    func foreignByte() {
        var tracker = ModeTracker()
        _ = unsafe [0x1B, 0x80].withUnsafeBytes { unsafe tracker.scan($0) }
        #expect(!tracker.isBetweenSequences)
        let rest = Array("[?1004l".utf8)
        _ = unsafe rest.withUnsafeBytes { unsafe tracker.scan($0) }
        #expect(tracker.didEndFocusReports && tracker.isBetweenSequences)
    }

    @Test(
        "P-24: a string that only GNU screen takes for one is one",
        arguments: [
            "\u{1B}\"", "\u{1B} k", "\u{1B} \"", "\u{1B}(P", "\u{1B} _", "\u{1B}#^", "\u{1B} ]", "\u{1B} [",
        ]
    )
    func screenStrings(start: String) {
        #expect(!tracker(after: start + "12").isBetweenSequences)
        #expect(tracker(after: start + "12\u{1B}\\").isBetweenSequences)
        #expect(tracker(after: start + "12\u{1B}[?1004l").didEndFocusReports, "a later sequence counts")
    }

    @Test("P-24: margins are put back, those of columns only where they were switched on")
    func margins() {
        #expect(tracker(after: "\u{1B}[5;20r\u{1B}[3s").modes.redoMargins == "\u{1B}[5;20r")
        #expect(
            tracker(after: "\u{1B}[?69h\u{1B}[3;70s\u{1B}[5r").modes.redoMargins
                == "\u{1B}[?69h\u{1B}[3;70s\u{1B}[5r"
        )
        for end in ["\u{1B}[r", "\u{1B}[!p", "\u{1B}c"] {
            #expect(tracker(after: "\u{1B}[5;20r" + end).modes.redoMargins.isEmpty)
        }
        #expect(tracker(after: "\u{1B}[?69h\u{1B}[3;70s\u{1B}[?69l").modes.redoMargins.isEmpty)
    }

    @Test("P-24: colours are put back, and only those that the program set")
    func colours() {
        let output = "\u{1B}]4;6;#000000;7;red\u{7}\u{1B}]10;#111111;#222222\u{1B}\\"
        let palette = "\u{1B}]4;6;#000000\u{1B}\\\u{1B}]4;7;red\u{1B}\\"
        let rest = "\u{1B}]10;#111111\u{1B}\\\u{1B}]11;#222222\u{1B}\\"
        let putBack: String = palette + rest
        #expect(tracker(after: output).modes.redo == putBack)
        let long = String(repeating: "x", count: 65)
        let none: [String] = [
            "\u{1B}]4;6;?\u{7}\u{1B}]11;?\u{7}", "\u{1B}]4;6;red\u{7}\u{1B}]104\u{7}",
            "\u{1B}]4;6;red\u{7}\u{1B}]104;6\u{7}", "\u{1B}]11;red\u{7}\u{1B}]111\u{7}",
            "\u{1B}]4;256;red\u{7}", "\u{1B}]11;\(long)\u{7}",
        ]
        for output in none { #expect(tracker(after: output).modes.redo.isEmpty, "\(output.dropFirst())") }
    }

    @Test("P-24: the kitty protocol's flags are read also where they are set without the stack")
    func keyboardFlags() {
        #expect(tracker(after: "\u{1B}[=8;1u").modes.redo == "\u{1B}[=8;1u")
        #expect(tracker(after: "\u{1B}[=8u\u{1B}[=3;2u\u{1B}[=8;3u").modes.redo == "\u{1B}[=3;1u")
        #expect(tracker(after: "\u{1B}[>1u\u{1B}[=8;1u").modes.redo == "\u{1B}[>8u")
        #expect(tracker(after: "\u{1B}[=8;1u").modes.undoAll == "\u{1B}[=0;1u")
        let alternate = tracker(after: "\u{1B}[=8;1u\u{1B}[?1049h").modes
        #expect(alternate.undoMainKeyboard == "\u{1B}[=0;1u" && alternate.undoKeyboard.isEmpty)
    }

    @Test("P-24: modes without a question mark, and UTF-8 switched off, are put back")
    func otherModes() {
        #expect(
            tracker(after: "\u{1B}[4h\u{1B}[12l\u{1B}[20h\u{1B}%@").modes.redo
                == "\u{1B}[4h\u{1B}[12l\u{1B}[20h\u{1B}%@"
        )
        #expect(tracker(after: "\u{1B}[4h\u{1B}[4l\u{1B}%@\u{1B}%G").modes.redo.isEmpty)
        #expect(tracker(after: "\u{1B}[?1002h\u{1B}[?1016h").modes.redo.contains("\u{1B}[?1016h"))
    }

    @Test("P-24: titles in hexadecimal are understood, and set as text before that mode is back")
    func hexTitles() {
        let putBack = tracker(after: "\u{1B}[>0;1t\u{1B}]2;544954\u{7}").modes.titles.putBack
        #expect(putBack == "\u{1B}]2;TIT\u{1B}\\\u{1B}[>0;1t")
        #expect(tracker(after: "\u{1B}[>0t\u{1B}[>0T\u{1B}]2;54\u{7}").modes.titles.putBack.contains("54"))
        #expect(tracker(after: "\u{1B}[>0t").modes.undoAll == ProgramTitles.plainModes)
    }

    @Test("P-24: BEL ends an OSC and nothing else; ST ends every string")
    func strings() {
        for start in ["\u{1B}P", "\u{1B}_", "\u{1B}^", "\u{1B}X", "\u{1B}k", "\u{1B}!", "\u{90}"] {
            #expect(!tracker(after: start + "text\u{7}").isBetweenSequences, "\(start.dropFirst())")
            #expect(tracker(after: start + "text\u{7}\u{1B}\\").isBetweenSequences)
        }
        #expect(tracker(after: "\u{1B}]0;text\u{7}").isBetweenSequences)
        #expect(tracker(after: "\u{1B}]0;text\u{9C}").isBetweenSequences)
    }

    @Test("P-24: titles are read along with, bounded, and without what would end them")
    func titles() {
        #expect(tracker(after: "\u{1B}]2;one\u{7}").modes.titles.putBack == "\u{1B}]2;one\u{1B}\\")
        #expect(
            tracker(after: "\u{1B}]0;é\u{1B}\\").modes.titles.putBack
                == "\u{1B}]1;é\u{1B}\\\u{1B}]2;é\u{1B}\\"
        )
        let long = tracker(after: "\u{1B}]2;" + String(repeating: "x", count: 100_000) + "\u{7}")
        #expect(long.modes.titles.putBack.utf8.count <= ProgramTitles.longest + 6)
        #expect(tracker(after: "\u{1B}]2;a\u{1}b\u{7}").modes.titles.putBack.contains("ab"))
        #expect(tracker(after: "\u{1B}]4;1;red\u{7}").modes.titles.putBack.isEmpty)
        #expect(tracker(after: "\u{1B}[22;2t\u{1B}]2;one\u{7}\u{1B}[23;2t").modes.titles.putBack.isEmpty)
        #expect(tracker(after: "\u{1B}kname\u{1B}\\").modes.titles.putBack == "\u{1B}kname\u{1B}\\")
    }
}

@Suite("FocusRenewal (P-20)")
struct FocusRenewalTests {
    @Test("P-20: focus reports are asked for anew after output, at most once a second")
    func onceASecond() {
        var renewal = FocusRenewal(at: .seconds(10))
        #expect(renewal.wait(at: .seconds(60), insideSince: nil) == nil, "nothing was shown")
        renewal.reportsMayBeOff()
        #expect(renewal.wait(at: .milliseconds(10_200), insideSince: nil) == .milliseconds(800))
        let times: [Duration] = [.milliseconds(10_999), .seconds(11), .seconds(20)]
        let due = times.map { renewal.isDue(at: $0, insideSince: nil) }
        #expect(due == [false, true, false])
        renewal.reportsMayBeOff()
        let isDue = renewal.isDue(at: .seconds(20), insideSince: nil)
        #expect(isDue)
    }

    @Test("P-20: a sequence is broken off for it five seconds after it began, also when more of it comes")
    func inside() {
        var renewal = FocusRenewal(at: .zero)
        let times: [Duration] = [.seconds(4), .seconds(6), .seconds(8), .milliseconds(8999), .seconds(9)]
        var due: [Bool] = []
        for time in times {
            renewal.reportsMayBeOff()
            due.append(renewal.isDue(at: time, insideSince: .seconds(4)))
        }
        #expect(due == [false, false, false, false, true])
    }
}
