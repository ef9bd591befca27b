/// Web apps and pages that a browser shows: they are processes of the browser, and the browser's file.
enum WebApp {
    static let reason = "it is part of its browser, which would be shut as a whole"

    /// Whether an argument tells a browser to show one.
    static func isNamed(by argument: String) -> Bool {
        // GNOME Web's.
        if argument == "--application-mode" { return true }
        guard let (option, value) = argument.parted(at: "=") else { return false }
        return option == "--app-id" || option == "--app" && value.contains("://")
    }

    /// Whether an argument is a page, or a document that is read like one: a program that is handed it is a browser or a
    /// reader, which shows others as well.
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

    /// Whether an argument is a game, as a store or a library of games is told to start it: what is seen to run is the store.
    static func isGameOfStore(_ argument: String) -> Bool {
        let start = argument.prefix(32).lowercased()
        return [
            "steam:", "lutris:", "heroic:", "itch:", "com.epicgames.launcher:", "gog:", "uplay:", "origin:",
            "minigalaxy:", "bottles:", "playnite:",
        ].contains(where: start.hasPrefix)
    }

    /// Why a script that shows a web app is refused, or, where a shell runs it, one that shows a page or starts a store's
    /// game.
    static func refusal(ofScript text: String, isShell: Bool) -> String? {
        if isNamed(inScript: text) { return reason }
        if !isShell { return nil }
        if isHanded(byScript: text, isPage) { return reason }
        return isHanded(byScript: text, isGameOfStore) ? storeReason : nil
    }

    /// Whether a shell's script hands such a word to the program that it goes on as, or that its last line starts: a page
    /// that it only fetches from, or tells of, makes no app a page.
    private static func isHanded(byScript text: String, _ isMeant: (String) -> Bool) -> Bool {
        let lines = ShellText.lines(of: text) ?? text.lines.map { String($0.trimmed) }
        let pages = lines.flatMap(words(in:)).compactMap { word in
            word.parted(at: "=").flatMap { isMeant($0.after) ? $0.before : nil }
        }
        let commands = lines.flatMap { ScriptTarget.commands(in: Substring($0)).map(String.init) }
        return (commands + lines.suffix(1)).contains { command in
            words(in: command).contains(where: isMeant)
                || pages.contains { command.contains("$\($0)") || command.contains("${\($0)") }
        }
    }

    /// Whether a script names a web app's argument, comments apart, wherever it stands: one in a variable, or on a line that
    /// goes on another, may be given to any program.
    private static func isNamed(inScript text: String) -> Bool {
        text.lines.lazy.map(\.trimmed).filter { $0.utf8.first != UInt8(ascii: "#") }.contains { line in
            words(in: String(line)).compactMap(option(in:))
                .contains { isNamed(by: $0) || $0.hasPrefix("--app=") && $0.contains("$") }
        }
    }

    /// The words of a line, without quotes.
    private static func words(in line: String) -> [String] {
        line.utf8.filter { !"\"'\\".utf8.contains($0) }
            .split { " \t;&|(){}`".utf8.contains($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The option that a word is, or that it gives to a variable.
    private static func option(in word: String) -> String? {
        let dash = UInt8(ascii: "-")
        let bytes = word.utf8
        let start = zip(bytes.indices, bytes.indices.dropFirst()).first {
            bytes[$0] == dash && bytes[$1] == dash
        }
        return start.map { String(word[$0.0...]) }
    }
}
