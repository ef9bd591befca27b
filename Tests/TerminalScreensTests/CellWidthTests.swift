import Testing

import TerminalScreens

@Suite("Lines of words")
struct CellWidthTests {
    @Test("P-30: a word of any length is measured twice at most, and cut into whole lines")
    func longWord() {
        var measured = 0
        let text = String(repeating: "x", count: 64_000) + " end"
        let lines = CellWidth.wrap(text, to: 10) { character in
            measured += 1
            return CellWidth.of(character)
        }
        #expect(measured <= 2 * text.count)
        #expect(lines.count == 6_401 && lines.last == "end")
        #expect(lines.dropLast().allSatisfy { $0.count == 10 })
    }

    @Test(
        "P-30: words stand on a line as long as they fit, whatever their characters take",
        arguments: [
            ("one two three", 7, ["one two", "three"]), ("", 5, [""]), ("a\n\nb", 5, ["a", "", "b"]),
            ("ab abcdefg hi", 4, ["ab", "abcd", "efg", "hi"]), ("abcdefg h", 4, ["abcd", "efg", "h"]),
            ("abcdef gh", 4, ["abcd", "ef", "gh"]), ("abcde f", 4, ["abcd", "e f"]),
            ("字字字 a", 5, ["字字", "字 a"]), ("a字", 1, ["a", "字"]), ("  a  b ", 9, ["a b"]),
        ]
    )
    func lines(text: String, width: Int, lines: [String]) {
        #expect(CellWidth.wrap(text, to: width) == lines)
    }

    @Test("P-30: where words are not split, a long one is a line of its own")
    func wholeWords() {
        #expect(
            CellWidth.wrap("a abcdefg b", to: 4, splitsWords: false) == ["a", "abcdefg", "b"]
        )
    }
}
