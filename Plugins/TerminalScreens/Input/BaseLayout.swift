/// Which key of a PC's keyboard a letter of another script stands on.
///
/// A terminal tells where it was asked to (the kitty keyboard protocol's alternate keys). Where a program asked for that
/// protocol without them, the letter alone comes, and the usual place of Cyrillic letters is taken.
enum BaseLayout {
    private static let russian = Dictionary(
        uniqueKeysWithValues: zip(
            "йцукенгшщзхъфывапролджэячсмитьбюё".unicodeScalars,
            "qwertyuiop[]asdfghjkl;'zxcvbnm,.`".unicodeScalars
        )
    )
    /// Ukrainian and Belarusian, where they differ.
    private static let others: [Unicode.Scalar: Unicode.Scalar] = [
        "ї": "]", "і": "s", "є": "'", "ґ": "\\", "ў": "o",
    ]

    /// - Parameters:
    ///   - letter: what stands on the key, without Shift.
    ///   - reported: the key's code on a PC's keyboard, as the terminal told it.
    /// - Returns: the key's character on that keyboard; `nil` for a letter whose place is not known.
    static func key(of letter: Unicode.Scalar, reported: Int?) -> Unicode.Scalar? {
        if let reported, (0x20..<0x7F).contains(reported) { return Unicode.Scalar(UInt8(reported)) }
        return russian[letter] ?? others[letter]
    }
}
