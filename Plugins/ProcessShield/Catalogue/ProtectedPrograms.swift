/// Programs that a person needs to use the machine or to regain access to it, and programs that only start
/// other programs.
///
/// A program is recognised by the names of its file and of the links to it. The name in a desktop entry does
/// not count, because the entry may give the program any name.
enum ProtectedPrograms {
    static let launcherReason = "it starts many other programs"
    static let shellReason = "it is a shell"
    static let terminalReason = "it is a terminal"
    static let sharedReason = "other programs depend on it"

    /// Returns why a program is never shielded; `nil` for a program that may be shielded.
    static func reason(for path: String) -> String? {
        let name = ExecLine.baseName(path)
        if let known = known(name) { return reasons[known] }
        // Every program opens the dynamic loader and libraries. Some of these files are executable, but none
        // may be shielded.
        if name.hasSuffix(".so") || name.contains(".so.") { return sharedReason }
        if let family = families.first(where: { $0.prefixes.contains(where: name.hasPrefix) }) {
            return family.reason
        }
        // A greeter shows the login screen: `lightdm-gtk-greeter`.
        if name.hasSuffix("-greeter") { return "it belongs to logging in" }
        guard let (desktop, part) = name.parted(at: "-"), desktops.contains(desktop) else { return nil }
        return parts.first { $0.names.contains(part) }?.reason
    }

    /// Whether a program is a launcher or a shell, which runs other apps. The file of such a program does not
    /// identify the app.
    static func runsOthers(_ path: String) -> Bool {
        let reason = reason(for: path)
        return reason == launcherReason || reason == shellReason
    }

    /// Returns the listed name of a program, without a version or a build: `python` for `python3.11-dbg`. The
    /// result is `nil` if the program is not listed.
    static func known(_ name: String) -> String? {
        if reasons[name] != nil { return name }
        // File names have at most 255 bytes. An argument may be longer; a longer argument names no program.
        guard name.utf8.count <= 255 else { return nil }
        var rest = Substring(name)
        if rest.hasPrefix("."), rest.hasSuffix("-wrapped") { rest = rest.dropFirst() }
        while true {
            let text = String(rest)
            if reasons[text] != nil { return text }
            if let stem = stem(ofNumbered: rest) { return stem }
            guard let cut = rest.lastIndex(where: { $0 == "-" || $0 == "." || $0 == "_" }),
                isNote(rest[rest.index(after: cut)...])
            else { return stem(ofAnyBuild: name) }
            rest = rest[..<cut]
        }
    }

    /// Returns the first part of a name if that part is a listed shell or a listed program that contains many
    /// commands. Distributions name their builds freely (`busybox.nosuid`, `bash.distrib`, `bash~`), so the
    /// ending after that part may be any text except the ending of a file type, such as `.py`. Some other
    /// programs with such a name do not count; `namesakes` lists them.
    private static func stem(ofAnyBuild name: String) -> String? {
        guard let cut = name.firstIndex(where: { "-._~".contains($0) }), !namesakes.contains(name),
            !fileTypes.contains(String(name[cut...].dropFirst()))
        else { return nil }
        let stem = String(name[..<cut])
        return multiCall.contains(stem) || reasons[stem] == shellReason ? stem : nil
    }

    /// Returns the name without the number at its end, as in `ksh93`, if the rest is a listed shell or
    /// launcher. A rest of one or two letters does not count, because the name of a game is often one or two
    /// letters and a number.
    private static func stem(ofNumbered name: Substring) -> String? {
        let stem = name.prefix { !$0.isNumber }
        guard stem.count > 2,
            name.dropFirst(stem.count).drop(while: \.isNumber).allSatisfy({ "dmtu".contains($0) })
        else { return nil }
        let reason = reasons[String(stem)]
        return reason == launcherReason || reason == shellReason ? String(stem) : nil
    }

    /// Whether a part of a name only marks a build or a version.
    private static func isNote(_ part: Substring) -> Bool {
        let word = part.drop(while: \.isNumber).prefix { !$0.isNumber }
        return !part.isEmpty && (word.isEmpty || notes.contains(String(word)))
    }

    private static let notes: Set<String> = [
        "a", "alpha", "b", "beta", "bin", "d", "dbg", "debug", "devel", "development", "gnu", "linux", "m",
        "orig", "rc", "real", "stable", "staging", "static", "t", "u", "wrap", "wrapped", "wrapper", "x",
    ]

    private static let reasons: [String: String] = table.reduce(into: [:]) { reasons, row in
        for name in row.names { reasons[name] = row.reason }
    }
}
