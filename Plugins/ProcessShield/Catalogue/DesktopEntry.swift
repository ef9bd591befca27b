/// The fields of a desktop entry that a shield needs. The freedesktop Desktop Entry Specification defines
/// them.
struct DesktopEntry: Hashable {
    var name: String
    var exec: String?
    var tryExec: String?
    /// The folder that the program is started in.
    var folder: String?
    var categories: [String] = []
    /// Whether menus leave the entry out (`NoDisplay`).
    var isUndisplayed = false
    /// Whether the person has deleted the entry (`Hidden`).
    var isHidden = false

    /// Whether the entry says that its app is a terminal, in which other programs run.
    var isTerminal: Bool { categories.contains("TerminalEmulator") }

    /// The largest size of a desktop entry's file, in bytes. An entry in dozens of languages has about ten
    /// thousand bytes.
    static let most = 65_536
    /// The largest size of a name, in bytes. Names are limited because the name of each app is kept in
    /// memory.
    private static let mostName = 1_024

    /// Reads the text of a desktop entry.
    ///
    /// - Parameter languages: locales in the order of preference, such as `de_CH.UTF-8`.
    /// - Returns: `nil` if the entry is not of type `Application`, or if its name is missing or too long.
    init?(parsing text: String, languages: [String]) {
        var values: [[UInt8]: Substring] = [:]
        var isInside = false
        for line in text.lines {
            let line = line.trimmed
            if line.utf8.first == UInt8(ascii: "[") {
                isInside = line.utf8.elementsEqual("[Desktop Entry]".utf8)
            } else if isInside, line.utf8.first != UInt8(ascii: "#"),
                let equals = line.utf8.firstIndex(of: UInt8(ascii: "="))
            {
                let key = line[..<equals].trimmed
                // When a key occurs twice, the last value counts, as in the menus that start the app.
                values[Array(key.utf8)] = Substring(line.utf8[equals...].dropFirst()).trimmed
            }
        }
        func value(_ key: String) -> String? { values[Array(key.utf8)].map(Self.unescaped) }
        guard value("Type") ?? "Application" == "Application" else { return nil }
        let localised = languages.flatMap(Self.localeKeys).lazy.compactMap { value("Name[\($0)]") }.first
        guard let name = localised ?? value("Name"), !name.isEmpty, name.utf8.count <= Self.mostName else {
            return nil
        }
        self.name = name
        exec = value("Exec")
        tryExec = value("TryExec")
        folder = value("Path")
        let categories = (value("Categories") ?? "").utf8.split(separator: UInt8(ascii: ";"))
            .map { String(Substring($0).trimmed) }
        self.categories = Array(categories.lazy.filter { $0.utf8.count <= 64 }.prefix(64))
        isUndisplayed = value("NoDisplay") == "true"
        isHidden = value("Hidden") == "true"
    }

    /// Returns the locale suffixes of keys, such as `de_CH`, that match a locale of the form
    /// `lang_COUNTRY.ENCODING@MODIFIER`. The best match comes first.
    private static func localeKeys(_ locale: String) -> [String] {
        let parts = locale.split(separator: "@", maxSplits: 1)
        guard let place = parts.first?.split(separator: ".").first else { return [] }
        let modifier = parts.count > 1 ? "@\(parts[1])" : ""
        // A locale that consists of underscores names no language.
        guard let language = place.split(separator: "_").first else { return [] }
        return ["\(place)\(modifier)", "\(place)", "\(language)\(modifier)", "\(language)"]
    }

    private static func unescaped(_ value: Substring) -> String {
        guard value.utf8.contains(UInt8(ascii: "\\")) else { return String(value) }
        var result = "".unicodeScalars
        var isEscaped = false
        for character in value.unicodeScalars {
            guard isEscaped else {
                if character == "\\" { isEscaped = true } else { result.append(character) }
                continue
            }
            isEscaped = false
            switch character {
            case "s": result.append(" ")
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "\\": result.append("\\")
            // Other escapes are kept. Some of them belong to the quoting of the `Exec` line, which `ExecLine`
            // resolves later.
            default:
                result.append("\\")
                result.append(character)
            }
        }
        if isEscaped { result.append("\\") }
        return String(result)
    }
}
