internal import PortcullisCore

/// The apps of a desktop, as its desktop entries list them.
///
/// Each query reads the entries again, because programs are installed and removed. An app's token is its
/// desktop-file id, such as `org.gnome.Chess.desktop`. The id survives upgrades and is the same on another
/// machine.
public struct DesktopCatalogue: Sendable {
    /// The folders that hold desktop entries, such as `/usr/share/applications`. If several folders hold an
    /// entry of the same id, the entry in the first of these folders counts.
    public let folders: [String]
    /// The folders in which commands without a slash are looked up.
    public let searchPath: [String]
    /// Locales in the order of preference, such as `de_CH.UTF-8`.
    public let languages: [String]

    /// Creates a catalogue over these folders.
    ///
    /// - Parameters:
    ///   - folders: the folders that hold desktop entries. If several folders hold an entry of the same id,
    ///     the entry in the first of these folders counts.
    ///   - searchPath: the folders in which commands without a slash are looked up.
    ///   - languages: locales in the order of preference.
    public init(folders: [String], searchPath: [String], languages: [String] = []) {
        self.folders = folders
        self.searchPath = searchPath
        self.languages = languages
    }

    /// Creates the catalogue that an environment describes, by the rules of the XDG base folders.
    ///
    /// - Parameter environment: the variables of a process, by name.
    public init(environment: [String: String]) {
        func list(_ name: String, separator: Character = ":", default fallback: String) -> [String] {
            let text = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? fallback
            return text.split(separator: separator).map(String.init)
        }
        // The person's own folders, if there is a home folder.
        func inHome(_ path: String) -> [String] { environment["HOME"].map { ["\($0)/.local/\(path)"] } ?? [] }
        let own = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : [$0] } ?? inHome("share")
        let shared = list("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share")
        // Flatpak and snap export desktop entries to these folders. If `/usr/share` is used, the folders are
        // used as well, even if no desktop session has added them to `XDG_DATA_DIRS`.
        let exported =
            shared.contains { $0 == "/usr/share" || $0 == "/usr/share/" }
            ? inHome("share/flatpak/exports/share")
                + ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"] : []
        var folders: [String] = []
        for folder in own + shared + exported where folder.hasPrefix("/") {
            let applications = "\(folder)/applications"
            if !folders.contains(applications) { folders.append(applications) }
        }
        self.folders = folders
        var searchPath = list("PATH", default: "/usr/local/bin:/usr/bin:/bin").filter { $0.hasPrefix("/") }
        // A desktop session also finds apps in the folders of games and of the person's own programs. The
        // `PATH` of a service, and the `PATH` that sudo sets, lack these folders, so they are added.
        if searchPath.contains("/usr/bin") {
            let further = ["/usr/local/games", "/usr/games"] + inHome("bin")
            searchPath += further.filter { $0.hasPrefix("/") && !searchPath.contains($0) }
        }
        self.searchPath = searchPath
        languages =
            ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }.map {
                list("LANGUAGE", default: "") + [$0]
            } ?? []
    }

    /// An app that is installed.
    struct App {
        let token: AppToken
        let entry: DesktopEntry
        let command: ExecLine
        /// The path of the program, which may contain links.
        let path: String
        /// The folder that the program is started in; `nil` if the entry names none.
        let folder: String?
        /// The user that the entry belongs to.
        let owner: UInt32

        /// Returns the same app with another command: the command that the entry's own command finally
        /// starts. An example is the command in the text of `sh -c`.
        func started(by command: ExecLine, at path: String, in folder: String?) -> App {
            App(token: token, entry: entry, command: command, path: path, folder: folder, owner: owner)
        }
    }

    /// The installed apps by token, including apps that menus do not show.
    ///
    /// - Parameter entries: keeps the parsed files from one call to the next.
    func apps(_ entries: EntryReader = EntryReader()) -> [AppToken: App] {
        readings(entries).compactMapValues(\.app)
    }

    /// Returns the desktop entry of each token, and the app if the entry's program is installed.
    func readings(
        _ entries: EntryReader = EntryReader()
    ) -> [AppToken: (entry: DesktopEntry?, app: App?)] {
        var readings: [AppToken: (entry: DesktopEntry?, app: App?)] = [:]
        let look = entries.look(for: languages)
        for folder in folders {
            for (id, path) in EntryTree.entries(below: folder) {
                let token = AppToken(id)
                // The first entry of an id counts, even if it is hidden or broken.
                guard readings[token] == nil else { continue }
                let reading = FileStatus(path: path).map { look.read(path, $0.version) }
                readings[token] = (reading?.entry, reading.flatMap { app(token, $0) })
            }
        }
        entries.remember(look)
        return readings
    }

    /// The limit of arguments that are taken as possible paths of an entry's program. The command line of an
    /// app has fewer arguments.
    static let mostWords = 64

    /// The paths at which an entry's program may be installed, whether a file exists there or not.
    func places(of entry: DesktopEntry) -> Set<ExactPath> {
        guard !entry.isHidden, let command = entry.exec.flatMap(ExecLine.init) else { return [] }
        return places(of: command, entry.tryExec, in: startFolder(of: command, in: entry))
    }

    private func places(of command: ExecLine, _ tryExec: String?, in folder: String?) -> Set<ExactPath> {
        var places: Set<ExactPath> = []
        for word in [tryExec, command.program].compactMap(\.self) {
            if word.hasPrefix("/") {
                places.insert(ExactPath(word))
            } else if word.contains("/") {
                if let folder { places.insert("\(folder)/\(word)") }
            } else {
                places.formUnion(searchPath.map { ExactPath("\($0)/\(word)") })
            }
        }
        // The command may be a launcher, such as an interpreter, which gets the app's program or script as
        // an argument. So each argument may be the path of the program.
        let words = command.arguments.lazy.filter { !$0.isEmpty && !$0.hasPrefix("-") }
        for word in words.prefix(Self.mostWords) {
            let place = word.hasPrefix("/") ? word : folder.map { "\($0)/\(word)" }
            if let place { places.insert(ExactPath(place)) }
        }
        // The recursion ends, because the text of a `sh -c` is shorter than the command line that contains
        // it.
        if case .text(let index) = LaunchGrammar.subject(
            program: command.program,
            called: command.program,
            command.arguments
        ),
            case .command(let inner, let folder) = ShellEnd(
                of: command.arguments[index],
                in: folder,
                find: { find($0) }
            )
        {
            places.formUnion(self.places(of: inner, nil, in: folder))
        }
        return places
    }

    /// Whether a desktop entry with this id exists and is not marked as deleted. The entry's program may be
    /// missing.
    func lists(_ token: AppToken) -> Bool {
        for folder in folders {
            for (id, path) in EntryTree.entries(below: folder) where id == token.rawValue {
                return EntryReader.reading(of: path, languages).entry.map { !$0.isHidden } ?? false
            }
        }
        return false
    }

    private func app(_ token: AppToken, _ reading: EntryReader.Reading) -> App? {
        guard let entry = reading.entry, !entry.isHidden, let command = entry.exec.flatMap(ExecLine.init)
        else { return nil }
        if let tryExec = entry.tryExec, find(tryExec) == nil { return nil }
        let folder = startFolder(of: command, in: entry)
        guard let program = find(command.program, in: folder) else { return nil }
        return App(
            token: token,
            entry: entry,
            command: command,
            path: program,
            folder: folder,
            owner: reading.owner
        )
    }

    /// The folder that a command is started in; `nil` if neither the command nor its entry names the folder
    /// by an absolute path.
    private func startFolder(of command: ExecLine, in entry: DesktopEntry) -> String? {
        [command.folder, entry.folder].compactMap(\.self).first { $0.hasPrefix("/") }
    }

    /// The path of a command; `nil` when the command does not exist or cannot be executed.
    ///
    /// - Parameter folder: the folder that a relative path is resolved in; `nil` when the folder is not
    ///   known.
    func find(_ command: String, in folder: String? = nil) -> String? {
        if command.hasPrefix("/") { return isExecutable(command) ? command : nil }
        if command.contains("/") {
            return folder.map { "\($0)/\(command)" }.flatMap { isExecutable($0) ? $0 : nil }
        }
        return searchPath.lazy.map { "\($0)/\(command)" }.first(where: isExecutable)
    }

    private func isExecutable(_ path: String) -> Bool { FileStatus(path: path)?.isExecutable == true }
}
