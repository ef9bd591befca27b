import PortcullisCore
import Testing

/// Words of shells, and words that are like others.
@Suite("Words")
struct WordsTests {
    @Test(
        "X-3: a word without its quotes is what a shell would pass on",
        arguments: [
            ("plain", "plain"), ("'a b'", "a b"), (#""a\"b""#, #"a"b"#), (#"a\ b"#, "a b"),
            (#"'a\b'"#, #"a\b"#),
            (#"a'b'"c""#, "abc"), ("'open", "open"), ("", ""),
        ]
    )
    func unquoted(_ word: String, _ text: String) {
        #expect(ShellWords.unquoted(word) == text)
    }

    @Test(
        "X-3: a quoted word comes back as it was",
        arguments: ["plain", "a b", "it's", "$(x)", "ä/b:c", #"\"#, "*"]
    )
    func quoted(_ word: String) {
        let quoted = ShellWords.quoted(word)
        #expect(ShellWords.unquoted(quoted) == word)
        #expect((quoted == word) == ["plain", "ä/b:c"].contains(word))
    }

    @Test(
        "X-3: the distance of words counts letters that are missing, too many, wrong, or in the wrong order",
        arguments: [
            ("list", "list", 0), ("lst", "list", 1), ("liist", "list", 1), ("lisr", "list", 1),
            ("lsit", "list", 1),
            ("", "list", 4), ("get", "set", 1), ("abc", "xyz", 3),
        ]
    )
    func distance(_ first: String, _ second: String, _ distance: Int) {
        #expect(Spelling.distance(Array(first.utf8), Array(second.utf8)) == distance)
        #expect(Spelling.distance(Array(second.utf8), Array(first.utf8)) == distance)
    }
}
