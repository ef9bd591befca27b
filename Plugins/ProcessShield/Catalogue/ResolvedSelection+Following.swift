internal import PortcullisCore

// Programs whose files were renamed or replaced since the selection was last resolved.
extension ResolvedSelection {
    /// An app whose program was found when the selection was resolved earlier. Now the program is not found,
    /// or is refused.
    struct Lapsed: Hashable, Sendable {
        /// The app's program, with the files and scripts that were found earlier.
        var program: Program
        /// The chosen categories that the app was in.
        var categories: Set<CategoryToken>
    }

    /// The limit of earlier files that are kept for one app.
    static let formerFilesLimit = 32
    /// The limit of earlier programs that are kept for one app.
    static let formerProgramsLimit = 4

    /// Returns this selection, and adds to each app the files that were found for the app when the selection
    /// was resolved earlier.
    ///
    /// A renamed file still belongs to the app. A replaced file that still runs belongs to the app too. If
    /// such files were left out, a stopped program would be continued as soon as its file is renamed. An app
    /// whose program is not found or is refused now is added to ``lapsed``. If the app were not added, a
    /// person could continue its stopped program by an entry for which the app is refused. If other scripts,
    /// arguments, units or images identify an app now, the app's earlier program is added to ``former``.
    func following(_ earlier: ResolvedSelection) -> ResolvedSelection {
        var known = earlier.lapsed
        for (token, resolution) in earlier.apps { known.note(resolution, of: token) }
        for (category, members) in earlier.categories {
            for (token, resolution) in members { known.note(resolution, of: token, in: category) }
        }
        if known.isEmpty { return self }
        var next = self
        for token in apps.keys { next.apps[token]?.remember(known[token]) }
        for (category, members) in categories {
            for token in members.keys { next.categories[category]?[token]?.remember(known[token]) }
        }
        for (token, var app) in known {
            app.categories.formIntersection(selection.categories)
            guard selection.apps.contains(token) || !app.categories.isEmpty else { continue }
            var former = earlier.former[token] ?? []
            if let present = program(of: token) {
                if app.program.isKnownOtherwise(than: present) {
                    var program = app.program
                    program.becomeFormer()
                    former.append(program)
                }
            } else {
                app.program.becomeFormer()
                next.lapsed[token] = app
            }
            former = former.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            if !former.isEmpty { next.former[token] = former.suffix(Self.formerProgramsLimit) }
        }
        return next
    }

    /// The program of an app; `nil` if the app is not found or is refused.
    func program(of token: AppToken) -> Program? {
        for resolution in [apps[token]] + categories.values.map({ $0[token] }) {
            if case .program(let program)? = resolution { return program }
        }
        return nil
    }
}

extension [AppToken: ResolvedSelection.Lapsed] {
    fileprivate mutating func note(
        _ resolution: ProgramResolver.Resolution,
        of token: AppToken,
        in category: CategoryToken? = nil
    ) {
        guard case .program(let program) = resolution else { return }
        var categories = self[token]?.categories ?? []
        if let category { categories.insert(category) }
        self[token] = .init(program: program, categories: categories)
    }
}

extension ProgramResolver.Resolution {
    /// Adds the files that were found earlier for the same app.
    fileprivate mutating func remember(_ earlier: ResolvedSelection.Lapsed?) {
        guard let earlier, case .program(var program) = self else { return }
        let former = earlier.program.formerFiles + earlier.program.files.keys
        program.formerFiles = former.filter { program.files[$0] == nil }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            .suffix(ResolvedSelection.formerFilesLimit)
        self = .program(program)
    }
}

extension Program {
    /// Whether this program recognises processes by scripts, arguments, units or images that another program
    /// of the same app lacks.
    fileprivate func isKnownOtherwise(than other: Program) -> Bool {
        let isRunOtherwise =
            launch != other.launch || scripts != other.scripts || interpreter != other.interpreter
        if isRunOtherwise, launch != nil || !scripts.isEmpty { return true }
        if isKnownByUnit, let unitID, !other.isKnownByUnit || unitID != other.unitID { return true }
        return isImage
            && !(other.isImage && formerImages.union(files.values).isSubset(of: other.files.values))
    }

    /// Turns the program's files into former files, since their present paths are unknown. The id of the
    /// app's systemd units stays if every process in such a unit counts as the app. In all other cases the id
    /// is removed as well.
    fileprivate mutating func becomeFormer() {
        if !isKnownByUnit { unitID = nil }
        formerFiles = (formerFiles + files.keys).suffix(ResolvedSelection.formerFilesLimit)
        // Processes of an AppImage refer to the image by the path from which they were started. So the paths
        // of the image are kept as well.
        if isImage { formerImages.formUnion(files.values) }
        files = [:]
    }
}
