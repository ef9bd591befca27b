internal import PortcullisCore

extension ProgramResolver {
    /// The desktop entries of one look, with what they and the machine say of programs that are left alone.
    ///
    /// Of one thread: it finds out when it is asked.
    final class Listing {
        private(set) lazy var apps = readings.compactMapValues(\.app)
        private lazy var readings = resolver.catalogue.readings(resolver.entries)
        private let resolver: ProgramResolver
        private let links: LinkedPrograms
        private lazy var own = FileID(path: "/proc/self/exe")
        /// The programs of those that say of themselves that they are terminals.
        private(set) lazy var terminals = findTerminals { _ in true }
        /// The same, by entries that only this process's user and root may write. A person's own take nothing out of a
        /// shield that root puts up for that person by paths.
        private(set) lazy var trustedTerminals = findTerminals { [resolver] in
            $0.owner == 0 || $0.owner == resolver.user
        }

        init(of resolver: ProgramResolver) {
            self.resolver = resolver
            links = LinkedPrograms(
                searchPath: resolver.catalogue.searchPath,
                users: [0, resolver.user],
                links: resolver.links
            )
        }

        /// Why a program is never shielded; `nil` for a program that may be shielded.
        ///
        /// - Parameter way: the program's path, and each path that a link on the way leads to. One file may be several programs,
        ///   and the name by which it is called then selects one of them.
        func reason(for way: [String], _ status: FileStatus) -> String? {
            // It is the way out as well.
            if status.id == own { return "it runs the shield" }
            return way.reversed().lazy.compactMap(ProtectedPrograms.reason).first ?? links.reason(for: status)
        }

        /// The paths at which the programs of a selection may come to be, whether they are there or not.
        func awaited(_ selection: ShieldSelection) -> Set<String> {
            let categories = selection.categories.compactMap { AppCategories.named($0.rawValue)?.members }
                .reduce(into: Set()) { $0.formUnion($1) }
            var paths = Set(selection.apps.map(\.rawValue).filter { $0.hasPrefix("/") })
            // An id may be given without the end that all have.
            let ids = Set(selection.apps.flatMap { [$0, AppToken("\($0.rawValue).desktop")] })
            for (token, reading) in readings {
                guard let entry = reading.entry else { continue }
                let isChosen =
                    ids.contains(token)
                    || !entry.isUndisplayed && !categories.isDisjoint(with: entry.categories)
                if isChosen { paths.formUnion(resolver.catalogue.places(of: entry)) }
            }
            return paths
        }

        private func findTerminals(where isMeant: (DesktopCatalogue.App) -> Bool) -> Set<String> {
            apps.values.reduce(into: []) { paths, app in
                guard app.entry.isTerminal, isMeant(app),
                    case .program(let program) = resolver.resolveAsProgram(app, in: self)
                else { return }
                paths.formUnion(program.files.values)
            }
        }
    }
}
