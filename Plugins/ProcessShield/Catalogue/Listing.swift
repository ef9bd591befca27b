internal import PortcullisCore

extension ProgramResolver {
    /// The desktop entries as they were read at one time, with the reasons why some are never shielded.
    ///
    /// The listing belongs to one thread and computes each part when that part is first used.
    final class Listing {
        private(set) lazy var apps = readings.compactMapValues(\.app)
        private lazy var readings = resolver.catalogue.readings(resolver.entries)
        private let resolver: ProgramResolver
        private let links: LinkedPrograms
        private lazy var own = FileID(path: "/proc/self/exe")
        /// The programs of all apps whose desktop entries are in the category of terminals.
        private(set) lazy var terminals = findTerminals { _ in true }
        /// The programs of the terminals whose desktop entries belong to root or to the user of this process.
        ///
        /// Terminals are never shielded. If root shields paths for a person, that person's own entries do not
        /// count here. If they counted, the person could exempt a program by an entry that calls it a
        /// terminal.
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
        /// - Parameter way: the program's path, followed by the target of each link that the path leads
        ///   through. All these names are needed, because one file may hold several programs. The name by
        ///   which the file is called selects one of the programs.
        func reason(for way: [String], _ status: FileStatus) -> String? {
            // This process's own program is never shielded, because the program has to release the shields
            // later. The older and the newer version of an upgraded program count as the same program.
            if status.id == own || isAtOwnPath(way) { return "it runs the shield" }
            return way.reversed().lazy.compactMap(ProtectedPrograms.reason).first ?? links.reason(for: status)
        }

        private func isAtOwnPath(_ way: [String]) -> Bool {
            guard let path = resolver.ownPath, let real = way.last else { return false }
            return real.isSamePath(as: path)
        }

        /// The paths at which the programs of a selection may be installed, whether files exist there or not.
        /// All paths that the selection itself names are included. A path of a desktop entry is left out if
        /// it is too long for the kernel. The paths of entries that exceed the limit of a ``PathRoom`` are
        /// left out too.
        func awaited(_ selection: ShieldSelection) -> Set<ExactPath> {
            let categories = selection.categories.compactMap { AppCategories.named($0.rawValue)?.members }
                .reduce(into: Set()) { $0.formUnion($1) }
            var paths = Set(selection.apps.lazy.filter(\.isPath).map { ExactPath($0.rawValue) })
            var room = PathRoom()
            // A selection may name an id without its ending `.desktop`, so the id with the ending counts as
            // well.
            let ids = Set(selection.apps.flatMap { [$0, AppToken("\($0.rawValue).desktop")] })
            for (token, reading) in readings {
                guard let entry = reading.entry else { continue }
                let isChosen =
                    ids.contains(token)
                    || !entry.isUndisplayed && !categories.isDisjoint(with: entry.categories)
                guard isChosen else { continue }
                for path in resolver.catalogue.places(of: entry)
                where path.text.utf8.count < ExactPath.limit && !paths.contains(path) {
                    guard room.take(path.text) else { return paths }
                    paths.insert(path)
                }
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
