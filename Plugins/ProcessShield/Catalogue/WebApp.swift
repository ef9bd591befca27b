/// Web apps and pages that a browser shows. They run in the browser's processes and from the browser's file.
enum WebApp {
    static let reason = "it is part of its browser, which would be shut as a whole"

    /// Whether an argument tells a browser to show a web app.
    static func isNamed(by argument: String) -> Bool {
        // This is the option of GNOME Web.
        if argument == "--application-mode" { return true }
        guard let (option, value) = argument.parted(at: "=") else { return false }
        return option == "--app-id" || option == "--app" && value.contains("://")
    }

    /// Whether an argument is a web page or a document such as a PDF. The program that opens the argument is
    /// a browser or a reader, and shows other documents as well.
    static func isPage(_ argument: String) -> Bool {
        let start = argument.prefix(16).lowercased()
        if schemes.contains(where: start.hasPrefix) { return true }
        guard !argument.hasPrefix("-") else { return false }
        let path = String(
            Substring(argument.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        )
        let name = ExecLine.baseName(path).lowercased()
        return endings.contains { name.hasSuffix($0) && name != $0 }
    }

    private static let schemes = [
        "http://", "https://", "ftp://", "file:/", "about:", "data:text/", "chrome://", "view-source:",
        "help:",
        "ghelp:",
    ]

    private static let endings = [".html", ".htm", ".xhtml", ".xht", ".shtml", ".mhtml", ".pdf"]

    static let storeReason = "a program that runs others as well runs it, which would be shut as a whole"

    /// Whether an argument tells a store or a library of games to start a game. The processes of such a game
    /// belong to the store.
    static func isGameOfStore(_ argument: String) -> Bool {
        let start = argument.prefix(32).lowercased()
        return [
            "steam:", "lutris:", "heroic:", "itch:", "com.epicgames.launcher:", "gog:", "uplay:", "origin:",
            "minigalaxy:", "bottles:", "playnite:",
        ].contains(where: start.hasPrefix)
    }

    /// Returns why a script is refused; `nil` if it is not refused. A script that shows a web app is always
    /// refused. A shell's script is also refused if it shows a page or starts a store's game.
    static func refusal(ofScript text: String, isShell: Bool) -> String? {
        if isNamed(inScript: text) { return reason }
        if !isShell { return nil }
        let arguments = ScriptArguments(of: text)
        if arguments.contains(where: isPage) { return reason }
        return arguments.contains(where: isGameOfStore) ? storeReason : nil
    }

    /// Whether a script contains a web app's option outside of comments. The option counts at every place,
    /// because the script may pass it to a program through a variable or on a continued line.
    private static func isNamed(inScript text: String) -> Bool {
        text.lines.lazy.map(\.trimmed).filter { $0.utf8.first != UInt8(ascii: "#") }.contains { line in
            ScriptArguments.words(in: String(line)).compactMap(option(in:))
                .contains { isNamed(by: $0) || $0.hasPrefix("--app=") && $0.contains("$") }
        }
    }

    /// Returns the part of a word from its first `--` on; `nil` if the word contains no `--`. The word may
    /// assign an option to a variable, as in `FLAGS=--app=URL`.
    private static func option(in word: String) -> String? {
        let dash = UInt8(ascii: "-")
        let bytes = word.utf8
        let start = zip(bytes.indices, bytes.indices.dropFirst()).first {
            bytes[$0] == dash && bytes[$1] == dash
        }
        return start.map { String(word[$0.0...]) }
    }
}
