import LockScreens
import PasscodeLock
import TerminalEmulator
import TerminalScreens
import Testing

@Suite("Canvas (P-30)", .timeLimit(.minutes(5)))
struct CanvasTests {
    @Test(
        "P-30: what an update writes makes the terminal show the canvas, from any canvas before",
        arguments: 0..<60
    )
    func updates(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let size = TerminalSize(columns: 12, rows: 5)
        var terminal = TerminalEmulator(columns: 12, rows: 5)
        var shown: Canvas?
        for _ in 0..<30 {
            // Changes what is there, so that wide characters are overwritten by halves in every way.
            var canvas = shown ?? Canvas(size: size)
            for _ in 0..<random.next() % 5 {
                let text = ["a", "bcd", "漢字", "é", "한x", " ", "👍", "e\u{301}", "\u{1B}[2Jq"].randomElement(
                    using: &random
                )
                canvas.draw(
                    text ?? "",
                    x: Int(random.next() % 16) - 2,
                    y: Int(random.next() % 7) - 1,
                    style: [CellStyle(), CellStyle(.accent, bold: true)].randomElement(using: &random)
                        ?? CellStyle()
                )
            }
            terminal.write(canvas.update(from: shown, colours: true))
            shown = canvas
            #expect(terminal.lines == canvas.lines)
        }
    }

    @Test("P-30: of an area that is cleared, what is outside of the canvas is left out")
    func clearedOutside() {
        var canvas = Canvas(size: TerminalSize(columns: 4, rows: 2))
        canvas.draw("abcd", x: 0, y: 0)
        for (x, y) in [(0, 9), (9, 0), (9, 9), (-9, 0), (0, -9)] {
            canvas.clear(CellArea(x: x, y: y, width: 2, height: 2))
        }
        canvas.clear(CellArea(x: 0, y: 0, width: -3, height: -3))
        #expect(canvas.lines.first == "abcd")
        canvas.clear(CellArea(x: 3, y: -1, width: 9, height: 9))
        #expect(canvas.lines.first?.hasPrefix("abc") == true && canvas.lines.first?.contains("d") == false)
    }

    @Test(
        "A-23: after a composed character, whose width terminals disagree about, the next one is placed anew"
    )
    func composed() {
        var canvas = Canvas(size: TerminalSize(columns: 6, rows: 1))
        canvas.draw("किb", x: 0, y: 0)
        let written = String(decoding: canvas.update(from: nil, colours: false), as: UTF8.self)
        #expect(written.contains("कि\u{1B}[1;2H"))
    }

    @Test("A-20: a picture on a picture is cut at the edges, wide characters as a whole")
    func onEachOther() {
        var inner = Canvas(size: TerminalSize(columns: 6, rows: 1))
        inner.draw("漢字ab", x: 0, y: 0)
        func drawn(at x: Int) -> [String] {
            var canvas = Canvas(size: TerminalSize(columns: 5, rows: 1))
            canvas.draw(inner, x: x, y: 0)
            return canvas.lines
        }
        #expect(drawn(at: 0) == ["漢字a"])
        #expect(drawn(at: 1) == [" 漢字"])
        #expect(drawn(at: 2) == ["  漢"])
        #expect(drawn(at: -1) == [" 字ab"])
        #expect(drawn(at: 4) == [""])
    }

    @Test("P-30: nothing changed, nothing written; one digit changed, little written")
    func isSparing() {
        let painter = ScreenPainter()
        let size = TerminalSize(columns: 80, rows: 24)
        let before = painter.paint(SampleScreens.lock(filled: 1), size: size).canvas
        let after = painter.paint(SampleScreens.lock(filled: 2), size: size).canvas
        #expect(before.update(from: before, colours: true).isEmpty)
        #expect(after.update(from: before, colours: true).count < 60)
    }

    @Test("P-30: without colours no colour is selected")
    func colours() {
        let canvas = ScreenPainter().paint(
            SampleScreens.lock(message: ScreenMessage(.error, "Incorrect passcode")),
            size: TerminalSize(columns: 80, rows: 24)
        ).canvas
        let with = String(decoding: canvas.update(from: nil, colours: true), as: UTF8.self)
        let without = String(decoding: canvas.update(from: nil, colours: false), as: UTF8.self)
        #expect(with.contains(";31m") && with.contains(";36m"))
        #expect(!without.contains(";31m") && !without.contains(";36m"))
    }
}

/// Random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0xD1B5_4A32_D192_ED03 }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
