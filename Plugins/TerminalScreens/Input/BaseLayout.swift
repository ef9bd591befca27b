/// Finds the key of a PC keyboard for a letter of another script.
///
/// A terminal reports the key of a PC keyboard if a program has asked for it (alternate keys of the kitty
/// keyboard protocol). If a program uses that protocol without alternate keys, the terminal sends only the
/// letter. In that case the usual keyboard for Cyrillic is assumed.
enum BaseLayout {
    private static let russian = Dictionary(
        uniqueKeysWithValues: zip(
            "йцукенгшщзхъфывапролджэячсмитьбюё".unicodeScalars,
            "qwertyuiop[]asdfghjkl;'zxcvbnm,.`".unicodeScalars
        )
    )
    /// The Ukrainian and Belarusian letters that differ from the Russian layout.
    private static let others: [Unicode.Scalar: Unicode.Scalar] = [
        "ї": "]", "і": "s", "є": "'", "ґ": "\\", "ў": "o",
    ]

    /// Returns the character that a key has on a PC keyboard.
    ///
    /// - Parameters:
    ///   - letter: the letter on the key, without Shift.
    ///   - reported: the key's code on a PC keyboard, if the terminal reported it.
    /// - Returns: the key's character on a PC keyboard; `nil` when the key is not known.
    static func key(of letter: Unicode.Scalar, reported: Int?) -> Unicode.Scalar? {
        if let reported, (0x20..<0x7F).contains(reported) { return Unicode.Scalar(UInt8(reported)) }
        return russian[letter] ?? others[letter]
    }
}
