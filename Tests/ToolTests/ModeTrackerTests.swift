import Testing

@testable import portcullis

@Suite("ModeTracker (P-20, P-24)")
struct ModeTrackerTests {
    private func tracker(after output: String) -> ModeTracker {
        var tracker = ModeTracker()
        _ = unsafe Array(output.utf8).withUnsafeBytes { unsafe tracker.scan($0) }
        return tracker
    }

    private static let off = [
        "\u{1B}[?1004l", "\u{1B}[?10\u{1}04l", "\u{1B}[?1\u{7}0\u{7F}04\nl", "\u{1B}\u{1}[?1004l",
        "\u{1B}[?" + String(repeating: "0", count: 70) + "1004l",
        "\u{1B}[?" + String(repeating: "1;", count: 20) + "1004l", "\u{1B}[?1004r", "\u{1B}[?1;1004r",
        "\u{1B}c", "\u{1B}[!p", "\u{9B}?1004l", "\u{1B}P\u{7}\u{1B}[?1004l", "\u{1B}k\u{9B}?1004l",
        "\u{1B}[12\u{1B}[?1004l", "\u{1B}(\u{1B}[?1004l",
    ]

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
        #expect(renewal.wait(at: .seconds(60), isInside: false) == nil, "nothing was shown")
        renewal.outputWasShown(at: .milliseconds(10_200))
        #expect(renewal.wait(at: .milliseconds(10_200), isInside: false) == .milliseconds(800))
        let times: [Duration] = [.milliseconds(10_999), .seconds(11), .seconds(20)]
        let due = times.map { renewal.isDue(at: $0, isInside: false) }
        #expect(due == [false, true, false])
        renewal.outputWasShown(at: .seconds(20))
        let isDue = renewal.isDue(at: .seconds(20), isInside: false)
        #expect(isDue)
    }

    @Test("P-20: a sequence that stands still is broken off for it, one that goes on is not")
    func inside() {
        var renewal = FocusRenewal(at: .zero)
        renewal.outputWasShown(at: .seconds(4))
        let whileItGoesOn = renewal.isDue(at: .seconds(8), isInside: true)
        renewal.outputWasShown(at: .seconds(8))
        let times: [Duration] = [.milliseconds(12_999), .seconds(13)]
        let later = times.map { renewal.isDue(at: $0, isInside: true) }
        #expect([whileItGoesOn] + later == [false, false, true])
    }
}
