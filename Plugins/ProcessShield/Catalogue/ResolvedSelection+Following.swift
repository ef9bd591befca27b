internal import PortcullisCore

// Programs whose files were renamed or replaced since an earlier look.
extension ResolvedSelection {
    /// An app that an earlier look has found, and this one has not.
    struct Lapsed: Hashable, Sendable {
        /// Its program, known by the files and scripts that it had.
        var program: Program
        /// The chosen categories that it was in.
        var categories: Set<CategoryToken>
    }

    /// How many files of earlier looks are remembered of one app.
    static let formerFilesLimit = 32

    /// This look, with what an earlier one knows of the same apps.
    ///
    /// A file that is renamed stays the app's own, and so does one that was replaced and still runs: else a stopped program
    /// would go on as soon as its file has another name.
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
            let isNamed = selection.apps.contains(token) || !app.categories.isEmpty
            let isFound = apps[token].map { $0 != .unresolved } ?? false
            let isMember = categories.values.contains { ($0[token] ?? .unresolved) != .unresolved }
            guard isNamed, !isFound, !isMember else { continue }
            app.program.becomeFormer()
            next.lapsed[token] = app
        }
        return next
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
    /// Adds the files that an app had at an earlier look.
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
    /// Its files have other names now, and no unit tells what is the app.
    fileprivate mutating func becomeFormer() {
        formerFiles = (formerFiles + files.keys).suffix(ResolvedSelection.formerFilesLimit)
        // What runs from an image knows it by the path that it had.
        if isImage { formerImages.formUnion(files.values) }
        files = [:]
        unitID = nil
    }
}
