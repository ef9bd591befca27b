/// The arguments that a shell's script passes to the programs that it starts with `exec`, and to the programs
/// in its last line. They show whether the script opens a web page or starts a store's game. The arguments of
/// other commands are left out, because such a command may only download a page or print its address.
///
/// Each part of a script is read a fixed number of times. So the time is proportional to the script's length,
/// whatever the script contains.
struct ScriptArguments {
    /// The words of the commands, and the values of the variables that the commands use.
    private let values: [String]

    init(of text: String) {
        let lines = ShellText.lines(of: text) ?? text.lines.map { String($0.trimmed) }
        let commands =
            lines.dropLast().flatMap { ScriptTarget.commands(in: Substring($0)).map(String.init) }
            + lines.suffix(1)
        let used = commands.reduce(into: Set()) { $0.formUnion(Self.variables(in: $1)) }
        var values = commands.flatMap(Self.words(in:))
        for word in lines.lazy.flatMap(Self.words(in:)) {
            if let (name, value) = word.parted(at: "="), used.contains(name) { values.append(value) }
        }
        self.values = values
    }

    func contains(where isMeant: (String) -> Bool) -> Bool { values.contains(where: isMeant) }

    /// Returns the words of a line, without quotes.
    static func words(in line: String) -> [String] {
        line.utf8.filter { !"\"'\\".utf8.contains($0) }
            .split { " \t;&|(){}`".utf8.contains($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the names of the variables that a command uses, as `$NAME` or `${NAME}`.
    private static func variables(in command: String) -> Set<String> {
        var names: Set<String> = []
        var rest = command.utf8[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[sign...].dropFirst()
            if rest.first == UInt8(ascii: "{") { rest = rest.dropFirst() }
            // Names consist of ASCII letters, digits and underscores.
            let name = rest.prefix { byte in
                (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte) || byte == 0x5F
            }
            if !name.isEmpty { names.insert(String(Substring(name))) }
            rest = rest[name.endIndex...]
        }
        return names
    }
}
