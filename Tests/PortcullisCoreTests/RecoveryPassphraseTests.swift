import PortcullisCore
import Testing

@Suite("Recovery passphrases that are refused (H-2)")
struct RecoveryPassphraseTests {
    @Test(
        "H-2: what is short, repeats itself, runs along a row or is a common word is refused",
        arguments: [
            ("elevenchars", .tooShort), ("", .tooShort), ("aaaaaaaaaaaaaaaa", .easilyGuessed),
            // Five different characters, and seven.
            ("abcdebadcebda", .easilyGuessed), ("fbzdebadkebda", nil),
            ("horsestaple5horsestaple5", .easilyGuessed), ("abcdefghijkl", .easilyGuessed),
            ("ponmlkjihgfedcba", .easilyGuessed), ("qwertyuiop12345", .easilyGuessed),
            ("qwertzuiopasdfgh", .easilyGuessed), ("azertyuiop123456", .easilyGuessed),
            // Of eleven pairs, nine and eight run on.
            ("abcdefghijxq", .easilyGuessed), ("abcdefghixqm", nil),
            ("Password1234", .easilyGuessed), ("correct horse battery", nil),
            ("correcthorse42x", .easilyGuessed),
            ("seven quiet lanterns", nil),
        ] as [(String, RecoveryPassphrase.Weakness?)]
    )
    func weakness(_ text: String, _ weakness: RecoveryPassphrase.Weakness?) {
        #expect(RecoveryPassphrase.weakness(of: SecretBytes(copying: text.utf8)) == weakness, "\(text)")
    }

    @Test("H-2: a passphrase of at most 1,024 bytes of UTF-8 can be used")
    func unusable() {
        let long = String(repeating: "seven quiet lanterns ", count: 48) + "and a half lamp."
        #expect(long.utf8.count == 1_024)
        #expect(RecoveryPassphrase.weakness(of: SecretBytes(copying: long.utf8)) == nil)
        #expect(RecoveryPassphrase.weakness(of: SecretBytes(copying: "\(long).".utf8)) == .unusable)
        let broken: [UInt8] = Array("seven quiet lanterns".utf8) + [0xFF]
        #expect(RecoveryPassphrase.weakness(of: SecretBytes(copying: broken)) == .unusable)
    }
}
