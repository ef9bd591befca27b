/// What a desktop entry says of an app: the part of the freedesktop format that a shield needs.
struct DesktopEntry: Hashable {
    var name: String
    var exec: String?
    var tryExec: String?
    /// The folder that the program is started in.
    var folder: String?
    var categories: [String] = []
    /// It is not shown in menus.
    var isUndisplayed = false
    /// It stands for "deleted by the person".
    var isHidden = false

    /// Whether it says of itself that it is a terminal, in which other programs run.
    var isTerminal: Bool { categories.contains("TerminalEmulator") }

    /// Reads a file's text.
    ///
    /// - Parameter languages: locales in the order of preference, such as `de_CH.UTF-8`.
    /// - Returns: `nil` when it is no application or has no name.
    init?(parsing text: String, languages: [String]) {
        var values: [Substring: Substring] = [:]
        var isInside = false
        // The text's lines by bytes: CR LF is one character to Swift.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map(Substring.init) {
            let line = line.trimmed
            if line.hasPrefix("[") {
                isInside = line == "[Desktop Entry]"
            } else if isInside, !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let key = line[..<equals].trimmed
                // Of a key that stands twice the last one counts, as it does for the menus that start the app.
                values[key] = line[line.index(after: equals)...].trimmed
            }
        }
        func value(_ key: String) -> String? { values[Substring(key)].map(Self.unescaped) }
        guard value("Type") ?? "Application" == "Application" else { return nil }
        let localised = languages.flatMap(Self.localeKeys).lazy.compactMap { value("Name[\($0)]") }.first
        guard let name = localised ?? value("Name"), !name.isEmpty else { return nil }
        self.name = name
        exec = value("Exec")
        tryExec = value("TryExec")
        folder = value("Path")
        categories = (value("Categories") ?? "").split(separator: ";").map { String($0.trimmed) }
        isUndisplayed = value("NoDisplay") == "true"
        isHidden = value("Hidden") == "true"
    }

    /// The keys that fit `lang_COUNTRY.ENCODING@MODIFIER`, best first.
    private static func localeKeys(_ locale: String) -> [String] {
        let parts = locale.split(separator: "@", maxSplits: 1)
        guard let place = parts.first?.split(separator: ".").first else { return [] }
        let modifier = parts.count > 1 ? "@\(parts[1])" : ""
        // A locale of underscores alone names no language.
        guard let language = place.split(separator: "_").first else { return [] }
        var keys = ["\(place)\(modifier)", "\(place)", "\(language)\(modifier)", "\(language)"]
        keys = keys.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        return keys
    }

    private static func unescaped(_ value: Substring) -> String {
        guard value.contains("\\") else { return String(value) }
        var result = ""
        var isEscaped = false
        for character in value {
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
            // Not this format's: the list separator's and the quoting's escapes are for those who read these.
            default: result += "\\\(character)"
            }
        }
        return isEscaped ? result + "\\" : result
    }
}

extension Substring {
    /// Without blanks at both ends.
    var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return start }
        return start[...last]
    }
}
