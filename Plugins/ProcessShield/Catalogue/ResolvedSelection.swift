internal import PortcullisCore

/// The programs on this machine that the shields name.
struct ResolvedSelection: Equatable, Sendable {
    var selection = ShieldSelection()
    var apps: [AppToken: ProgramResolver.Resolution] = [:]
    var categories: [CategoryToken: [AppToken: ProgramResolver.Resolution]] = [:]
    /// The paths at which the programs of the selection may be installed, whether files exist there or not.
    var awaited: Set<ExactPath> = []
    /// Apps of the selection whose programs were found when the selection was resolved earlier. Now the
    /// programs are not found, or are refused.
    var lapsed: [AppToken: Lapsed] = [:]
    /// Earlier programs of apps whose entries lead to other programs now, with the latest at the end.
    var former: [AppToken: [Program]] = [:]

    /// The coverage of an app with the policy ``StopPolicy/leave``, if its start cannot be denied.
    static let notHeld = ShieldCoverage.State.refused(
        reason: "it is left running, and its start cannot be denied here"
    )

    /// All programs of the selection: first the programs that are stopped, then the programs that are left
    /// running.
    var programs: [Program] {
        let all = Array(apps.values) + categories.values.flatMap(\.values)
        let programs = all.compactMap { resolution -> Program? in
            if case .program(let program) = resolution { program } else { nil }
        }
        let order: [StopPolicy] = [.freeze, .terminate, .leave]
        return order.flatMap { policy in Set(programs.filter { $0.policy == policy }) }
    }

    /// The programs whose starts are watched: the programs of the selection, those of the `lapsed` apps, and
    /// the `former` programs.
    var watched: [Program] { programs + lapsed.values.map(\.program) + former.values.flatMap(\.self) }

    /// The paths at which programs of the selection are or may be installed. The paths that the selection
    /// itself names come first, with the files of their programs. When there are too many paths, the last
    /// paths are not watched. So the first paths are watched however many desktop entries there are.
    var places: [ExactPath] {
        let named = selection.apps.filter(\.isPath).map { ExactPath($0.rawValue) }
        let programs = watched
        let first = programs.filter { $0.token?.isPath == true }.flatMap(\.paths)
        var seen: Set<ExactPath> = []
        return (named + first + programs.flatMap(\.paths) + awaited).filter { seen.insert($0).inserted }
    }

    /// The programs that are stopped while they run, with the chosen categories of their apps.
    var stoppable: [Program] {
        watched.filter { $0.policy != .leave }.map { program in
            var program = program
            program.categories = program.token.map(chosenCategories) ?? []
            return program
        }
    }

    private func chosenCategories(of app: AppToken) -> Set<CategoryToken> {
        selection.categories.filter { categories[$0]?[app] != nil }
            .union(lapsed[app]?.categories ?? [])
    }

    /// The programs that are frozen while they run.
    var frozen: [Program] { stoppable.filter { $0.policy == .freeze } }

    /// Whether the selection may still name an app for which a process was stopped. A record of an earlier
    /// version of the format has no apps. Every selection that is not empty may name these unknown apps.
    func names(_ process: StoppedProcess) -> Bool {
        guard let recorded = process.selection else { return !selection.isEmpty }
        return !named(recorded).isEmpty
    }

    /// A process is stopped for one or more apps. Returns whether one of these apps has a program here, or
    /// had one earlier. An app is left out if the selection can no longer name it. The result may be `false`
    /// if a controller with another catalogue has stopped the process.
    func finds(_ process: StoppedProcess) -> Bool {
        guard let recorded = process.selection else { return true }
        return named(recorded).apps.contains { program(of: $0) != nil || lapsed[$0] != nil }
    }

    /// Whether this controller has, or had earlier, a program for each app that still keeps a process
    /// stopped. These apps are recorded for the process, and the selection may still name them. The result is
    /// `false` if there is no such app, or if the record does not tell the apps.
    func findsAll(_ process: StoppedProcess) -> Bool {
        guard let recorded = process.selection else { return false }
        let apps = named(recorded).apps
        return !apps.isEmpty && apps.allSatisfy { program(of: $0) != nil || lapsed[$0] != nil }
    }

    /// Returns a new entry for a stopped process that is a process of these apps now; `nil` if the apps and
    /// their chosen categories are recorded already.
    ///
    /// The selection may name an app in another way than when the process was stopped. Recorded apps that the
    /// selection may still name are kept, because another process with another catalogue may have recorded
    /// them.
    func renewed(_ process: StoppedProcess, for apps: ShieldSelection) -> StoppedProcess? {
        let recorded = process.selection ?? ShieldSelection()
        if recorded.apps.isSuperset(of: apps.apps), recorded.categories.isSuperset(of: apps.categories) {
            return nil
        }
        var all = named(recorded)
        all.formUnion(apps)
        var next = process
        next.selection = all
        return next
    }

    /// Returns the recorded apps and categories that the selection may still name. The record does not tell
    /// which of the apps is in which category.
    private func named(_ recorded: ShieldSelection) -> ShieldSelection {
        let categories = selection.categories.intersection(recorded.categories)
        let apps = categories.isEmpty ? selection.apps.intersection(recorded.apps) : recorded.apps
        return ShieldSelection(apps: apps, categories: categories)
    }

    /// Returns the coverage of each token.
    ///
    /// - Parameter program: returns the coverage of one program.
    func coverage(
        of applied: [ShieldName: ShieldSelection],
        program: (Program) -> ShieldCoverage.State
    ) -> ShieldCoverage {
        func state(of resolution: ProgramResolver.Resolution) -> ShieldCoverage.State {
            switch resolution {
            case .program(let found): program(found)
            case .unresolved: .unresolved
            case .refused(let reason): .refused(reason: reason)
            }
        }
        var coverage = ShieldCoverage(applied: applied)
        for (token, resolution) in apps { coverage.apps[token] = state(of: resolution) }
        for token in selection.categories {
            let states = Set((categories[token] ?? [:]).values.map(state(of:)))
            coverage.categories[token] =
                [.reactive, .gated].first(where: states.contains) ?? states.first ?? .unresolved
        }
        return coverage
    }
}

extension ProgramResolver {
    /// Resolves a selection, and gives each program its policy and its token.
    func resolve(
        _ selection: ShieldSelection,
        policies: [AppToken: StopPolicy],
        default fallback: StopPolicy
    ) -> ResolvedSelection {
        let listing = Listing(of: self)
        let (apps, categories) = resolve(selection, in: listing)
        func marked(_ apps: [AppToken: Resolution]) -> [AppToken: Resolution] {
            Dictionary(
                uniqueKeysWithValues: apps.map { token, resolution in
                    guard case .program(var program) = resolution else { return (token, resolution) }
                    program.policy = policies[token] ?? fallback
                    program.token = token
                    return (token, .program(program))
                }
            )
        }
        return ResolvedSelection(
            selection: selection,
            apps: marked(apps),
            categories: categories.mapValues(marked),
            awaited: listing.awaited(selection)
        )
    }
}
