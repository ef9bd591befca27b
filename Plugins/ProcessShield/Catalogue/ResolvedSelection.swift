internal import PortcullisCore

/// What the shields name on this machine.
struct ResolvedSelection: Equatable, Sendable {
    var selection = ShieldSelection()
    var apps: [AppToken: ProgramResolver.Resolution] = [:]
    var categories: [CategoryToken: [AppToken: ProgramResolver.Resolution]] = [:]
    /// The paths at which its programs may come to be, whether they are there or not.
    var awaited: Set<String> = []
    /// Apps that are still named, and whose programs were found at an earlier look alone.
    var lapsed: [AppToken: Lapsed] = [:]

    /// The state of an app that is left running where its start cannot be denied.
    static let notHeld = ShieldCoverage.State.refused(
        reason: "it is left running, and its start cannot be denied here"
    )

    /// The programs, those that are stopped before those that are left running.
    var programs: [Program] {
        let all = Array(apps.values) + categories.values.flatMap(\.values)
        let programs = all.compactMap { resolution -> Program? in
            if case .program(let program) = resolution { program } else { nil }
        }
        let order: [StopPolicy] = [.freeze, .terminate, .leave]
        return order.flatMap { policy in Set(programs.filter { $0.policy == policy }) }
    }

    /// The programs whose starts are watched: also those that have other names by now.
    var watched: [Program] { programs + lapsed.values.map(\.program) }

    /// The programs that are stopped while they run.
    var stoppable: [Program] { watched.filter { $0.policy != .leave } }

    /// Those that are stopped at once.
    var frozen: [Program] { stoppable.filter { $0.policy == .freeze } }

    /// What becomes of each token.
    ///
    /// - Parameter program: that of a program.
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
    /// What a selection names, with what becomes of each app by these policies.
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
