/// Finds the key of a PC keyboard for a letter of another script.
///
/// A terminal reports the key of a PC keyboard if a program has asked for it (alternate keys of the kitty
/// keyboard protocol). If a program uses that protocol without alternate keys, the terminal sends only the
/// letter. In that case the script's usual keyboard is assumed.
enum BaseLayout {
    private static let letters = Dictionary(
        uniqueKeysWithValues: zip(
            (russian + greek + arabic).unicodeScalars,
            (keysOfRussian + keysOfGreek + keysOfArabic).unicodeScalars
        )
    )
    private static let russian = "йцукенгшщзхъфывапролджэячсмитьбюё"
    private static let keysOfRussian = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
    private static let greek = "ςερτυθιοπασδφγηξκλζχψωβνμ"
    private static let keysOfGreek = "wertyuiopasdfghjklzxcvbnm"
    private static let arabic = "ضصثقفغعهخحجدشسيبلاتنمكطذئءؤرىةوزظ"
    private static let keysOfArabic = "qwertyuiop[]asdfghjkl;'`zxcvnm,./"
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
        return letters[letter] ?? others[letter]
    }
}
