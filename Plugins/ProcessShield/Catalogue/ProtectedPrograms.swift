/// Programs without which a person cannot use, or get back, the machine, and those that only start others.
///
/// By the name of the real file, because a desktop entry may call it anything.
enum ProtectedPrograms {
    static let launcherReason = "it starts many other programs"
    static let shellReason = "it is a shell"
    static let terminalReason = "it is a terminal"
    static let sharedReason = "other programs depend on it"

    /// Why a program is never shielded; `nil` for one that may be.
    static func reason(for path: String) -> String? {
        let name = ExecLine.baseName(path)
        if let known = known(name) { return reasons[known] }
        // The loader and the libraries, some of which can be executed: every program opens them.
        if name.hasSuffix(".so") || name.contains(".so.") { return sharedReason }
        if let family = families.first(where: { $0.prefixes.contains(where: name.hasPrefix) }) {
            return family.reason
        }
        // What stands before the desktop: `lightdm-gtk-greeter`.
        if name.hasSuffix("-greeter") { return "it belongs to logging in" }
        guard let (desktop, part) = name.parted(at: "-"), desktops.contains(desktop) else { return nil }
        return parts.first { $0.names.contains(part) }?.reason
    }

    /// Whether a program, a launcher or a shell, runs apps that are not its own, so that it says nothing about which app
    /// it is.
    static func runsOthers(_ path: String) -> Bool {
        let reason = reason(for: path)
        return reason == launcherReason || reason == shellReason
    }

    /// The listed name of which a file's name is a version or a build: `python` of `python3.11-dbg`.
    static func known(_ name: String) -> String? {
        if reasons[name] != nil { return name }
        // No file has a longer name, and a word may have any length.
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

    /// The shell or program of many commands that is followed by anything: those are what other programs run in, and
    /// distributions call their builds as they like, such as `busybox.nosuid`, `bash.distrib` and `bash~`.
    private static func stem(ofAnyBuild name: String) -> String? {
        guard let cut = name.firstIndex(where: { "-._~".contains($0) }), !namesakes.contains(name),
            !fileTypes.contains(String(name[cut...].dropFirst()))
        else { return nil }
        let stem = String(name[..<cut])
        return multiCall.contains(stem) || reasons[stem] == shellReason ? stem : nil
    }

    /// The shell or launcher that is followed by its number, as in `ksh93`. Other short names are too much like those of
    /// games to be taken for versions.
    private static func stem(ofNumbered name: Substring) -> String? {
        let stem = name.prefix { !$0.isNumber }
        guard stem.count > 2,
            name.dropFirst(stem.count).drop(while: \.isNumber).allSatisfy({ "dmtu".contains($0) })
        else { return nil }
        let reason = reasons[String(stem)]
        return reason == launcherReason || reason == shellReason ? String(stem) : nil
    }

    /// Whether a part of a name only says which build it is.
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
