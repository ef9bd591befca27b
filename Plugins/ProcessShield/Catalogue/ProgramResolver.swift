#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import PortcullisCore

/// Finds the programs that tokens name on this machine.
struct ProgramResolver: Sendable {
    /// The result of resolving a token.
    enum Resolution: Hashable, Sendable {
        case program(Program)
        case unresolved
        case refused(String)
    }

    let catalogue: DesktopCatalogue
    let scripts: ScriptReader
    /// The effective user id of this process.
    let user: UInt32
    /// Whether this process can see the executable of every process, or can deny the start of any program. If
    /// neither is possible, the resolver refuses each program whose processes would not be recognised.
    let reachesAll: Bool
    let entries = EntryReader()
    let links: ProtectedLinks
    /// The path of this process's own program, read when the resolver was created; `nil` if it is unknown.
    /// After an upgrade the path leads to a new file, whose processes have to release the shields too.
    let ownPath: String?

    init(
        catalogue: DesktopCatalogue,
        scripts: ScriptReader = ScriptReader(),
        links: ProtectedLinks = ProtectedLinks(),
        user: UInt32 = geteuid(),
        reachesAll: Bool = true,
        ownPath: String? = ProcessTable().program(of: getpid())
    ) {
        self.catalogue = catalogue
        self.scripts = scripts
        self.links = links
        self.user = user
        self.reachesAll = reachesAll
        self.ownPath = ownPath
    }

    /// The reason for refusing a program whose processes cannot be recognised.
    static let hidden =
        "what runs of it cannot be seen without CAP_SYS_PTRACE: its file gives it other rights, or cannot be read"

    /// Resolves each token of a selection. The desktop entries are read once.
    func resolve(
        _ selection: ShieldSelection
    ) -> (apps: [AppToken: Resolution], categories: [CategoryToken: [AppToken: Resolution]]) {
        resolve(selection, in: Listing(of: self))
    }

    /// Resolves each token of a selection with the desktop entries of an earlier listing.
    func resolve(
        _ selection: ShieldSelection,
        in listing: Listing
    ) -> (apps: [AppToken: Resolution], categories: [CategoryToken: [AppToken: Resolution]]) {
        var apps: [AppToken: Resolution] = [:]
        for token in selection.apps { apps[token] = resolve(token, in: listing) }
        var categories: [CategoryToken: [AppToken: Resolution]] = [:]
        for token in selection.categories {
            guard let category = AppCategories.named(token.rawValue) else { continue }
            categories[token] = listing.apps.filter { _, app in
                !app.entry.isUndisplayed && !category.members.isDisjoint(with: app.entry.categories)
            }
            .mapValues { resolve($0, in: listing) }
        }
        return (apps, categories)
    }

    /// Returns whether a token can be shielded. Running processes are not examined.
    func standing(of token: AppToken) -> ShieldTokenStanding {
        let listing = Listing(of: self)
        switch resolve(token, in: listing) {
        case .program: return .known
        case .refused(let reason): return .refused(reason: reason)
        case .unresolved: break
        }
        if token.isPath {
            return FileStatus(path: token.rawValue) == nil
                ? .unknown : .unresolved(reason: "it is no program that can be started")
        }
        let names = [token, AppToken("\(token.rawValue).desktop")]
        return names.contains(where: catalogue.lists)
            ? .unresolved(reason: "its program is not installed") : .unknown
    }

    /// Returns whether a category holds an app that can be shielded.
    func standing(of token: CategoryToken) -> ShieldTokenStanding {
        guard AppCategories.named(token.rawValue) != nil else { return .unknown }
        let apps = resolve(ShieldSelection(categories: [token])).categories[token] ?? [:]
        if apps.isEmpty { return .unresolved(reason: "no app of this category is installed") }
        let hasProgram = apps.values.contains { if case .program = $0 { true } else { false } }
        return hasProgram ? .known : .refused(reason: "none of its apps can be shielded")
    }

    private func resolve(_ token: AppToken, in listing: Listing) -> Resolution {
        if token.isPath {
            return sparing(listing.trustedTerminals, resolve(path: token.rawValue, in: listing))
        }
        let app = listing.apps[token] ?? listing.apps[AppToken("\(token.rawValue).desktop")]
        return app.map { resolve($0, in: listing) } ?? .unresolved
    }

    /// The apps that can be chosen, and the categories that hold at least one of these apps.
    func list() -> ShieldCatalogue {
        let listing = Listing(of: self)
        let apps = listing.apps.values.filter { app in
            guard !app.entry.isUndisplayed else { return false }
            if case .program = resolve(app, in: listing) { return true }
            return false
        }
        let names = apps.reduce(into: Set()) { $0.formUnion($1.entry.categories) }
        return ShieldCatalogue(
            apps: apps.map { .init(token: $0.token, label: $0.entry.name) },
            categories: AppCategories.all.filter { !$0.members.isDisjoint(with: names) }
                .map { .init(token: CategoryToken($0.token), label: $0.label) }
        )
    }

    private func resolve(_ app: DesktopCatalogue.App, in listing: Listing) -> Resolution {
        if app.entry.isTerminal { return .refused(ProtectedPrograms.terminalReason) }
        return sparing(listing.terminals, resolveAsProgram(app, in: listing))
    }

    /// Refuses a program that is a terminal. In every other program, the terminals are marked as spared, so
    /// that they are not stopped with the program.
    private func sparing(_ terminals: Set<String>, _ resolution: Resolution) -> Resolution {
        guard case .program(var program) = resolution else { return resolution }
        // A terminal may have a second desktop entry, such as an entry for its settings. The second entry may
        // not be in the category of terminals, so the files are compared and not the categories.
        let isTerminal = program.files.values.contains { terminals.contains(where: $0.isSamePath(as:)) }
        if isTerminal { return .refused(ProtectedPrograms.terminalReason) }
        program.spared = terminals
        return .program(program)
    }

    /// Resolves the program that an app's command leads to, whatever category its entry has.
    func resolveAsProgram(_ app: DesktopCatalogue.App, in listing: Listing) -> Resolution {
        let way = SmallFiles.way(to: app.path)
        guard let real = way.last else { return .unresolved }
        let id =
            app.token.rawValue.hasSuffix(".desktop")
            ? String(app.token.rawValue.dropLast(8)) : app.token.rawValue
        if app.command.arguments.contains(where: WebApp.isNamed(by:)) { return .refused(WebApp.reason) }
        if app.command.arguments.contains(where: WebApp.isGameOfStore) { return .refused(WebApp.storeReason) }
        if let known = way.last(where: ProtectedPrograms.runsOthers) {
            return resolve(launch: app, by: real, knownAs: known, unitID: id, in: listing)
        }
        if app.command.arguments.contains(where: WebApp.isPage) { return .refused(WebApp.reason) }
        // An app that is a terminal is resolved as a terminal, even if its arguments name another program.
        if !app.entry.isTerminal,
            let other = program(namedBy: app.command.arguments, of: app.path, in: app.folder)
        {
            let name = ExecLine.baseName(app.path)
            return .refused(
                "nothing in its entry tells whether \(name) is the app or '\(other)', which it names: each can be chosen by its path"
            )
        }
        return resolve(path: app.path, unitID: id, in: listing)
    }

    private func resolve(path: String, unitID: String? = nil, in listing: Listing) -> Resolution {
        let way = SmallFiles.way(to: path)
        guard let real = way.last, let status = FileStatus(path: real), status.isExecutable else {
            return .unresolved
        }
        if let reason = listing.reason(for: way, status) { return .refused(reason) }
        if isHidden(real, status) { return .refused(Self.hidden) }
        var program = Program(files: [status.id: real], unitID: unitID)
        let reading = scripts.read(real)
        if reading == .program || reading == .data { return .program(program) }
        if reading == .image {
            program.isImage = true
            return .program(program)
        }
        // The file is a script, or cannot be read, for example because it is behind another shield's gate. A
        // file that cannot be read may be a script, so it counts as a script too.
        program.scripts = [real, path]
        guard case .script(let text) = reading else { return .program(program) }
        let interpreter = Interpreter(ofScript: text, in: catalogue)
        let isShell =
            interpreter.map { ProtectedPrograms.reason(for: $0.path) } == ProtectedPrograms.shellReason
        if let reason = WebApp.refusal(ofScript: text, isShell: isShell) { return .refused(reason) }
        program.interpreter = interpreter
        let target = ScriptTarget.command(in: text, find: { catalogue.find($0) })
        // Arguments with a variable are left out. The variable's value is unknown, so it is unknown which
        // program such an argument names.
        let named = target.flatMap { command in
            self.program(namedBy: command.arguments.filter { !$0.contains("$") }, of: command.program)
        }
        let targetWay = named == nil ? target.map { SmallFiles.way(to: $0.program) } ?? [] : []
        if let targetReal = targetWay.last, let targetStatus = FileStatus(path: targetReal),
            targetStatus.isExecutable, listing.reason(for: targetWay, targetStatus) == nil
        {
            if isHidden(targetReal, targetStatus) { return .refused(Self.hidden) }
            program.files[targetStatus.id] = targetReal
        }
        return .program(program)
    }

    /// Whether this process cannot see the file that the program's processes run. The system hides that file
    /// if the processes have more rights than the user, or if the user may not read the file.
    func isHidden(_ path: String, _ status: FileStatus) -> Bool {
        guard !reachesAll else { return false }
        return status.raisesRights || SmallFiles.hasCapabilities(path) || !SmallFiles.isReadable(path)
    }
}

extension AppToken {
    /// Whether the token is the absolute path of a program. Other tokens are ids of desktop entries.
    var isPath: Bool { rawValue.utf8.first == UInt8(ascii: "/") }
}
