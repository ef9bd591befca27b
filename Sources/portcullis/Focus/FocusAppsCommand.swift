#if os(Linux)
internal import AdapterKit
internal import ArgumentParser
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import TerminalHost
internal import TerminalScreens

extension FocusCommand {
    struct Apps: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apps",
            abstract: "List the apps that can be shut, with their tokens and categories.",
            discussion: """
                Example: portcullis focus apps --category Game

                What is never shut, such as shells, terminals and the desktop itself, is left out. When output is \
                not a terminal, and with --json, each app is a line of JSON: token, label, categories.
                """
        )

        @Option(
            name: [.customLong("account"), .customLong("user")],
            help: ArgumentHelp("As root: whose apps. (default: yourself)", valueName: "name")
        )
        var account: String?
        @Option(
            help: ArgumentHelp("Only the apps of this category, such as Game.", valueName: "name"),
            completion: NameCompletion.categories
        )
        var category: String?
        @Flag(help: "Answer in JSON, a line for each app.")
        var json = false

        func run() async throws {
            let person = try SystemAccount.whoseProgramsAreShut(account)
            let desktop = FocusBackends.catalogue(of: person)
            let catalogue = await Self.catalogue(of: person)
            let wanted = try category.map { name throws(ShieldNameError) in
                guard let token = catalogue.category(named: name) else {
                    throw ShieldNameError(kind: .category, name: name, standing: .unknown)
                }
                return token
            }
            let categories = catalogue.categories.map(\.token)
            let members = await WorkerThread().run { () throws(Never) in
                Dictionary(uniqueKeysWithValues: categories.map { ($0, desktop.members(of: $0)) })
            }
            let rows = catalogue.apps.filter { app in
                wanted.map { members[$0]?.contains(app.token) == true } ?? true
            }
            .map { app in
                AppRow(
                    token: ForeignText.line(app.token.rawValue),
                    label: ForeignText.line(app.label),
                    categories: categories.filter { members[$0]?.contains(app.token) == true }.map(\.rawValue)
                )
            }
            if json || !StandardOutput.isTerminal {
                for row in rows { try StandardOutput.write(json: row) }
            } else if rows.isEmpty {
                try StandardOutput.write(line: "There is no app that can be shut.")
            } else {
                let terminal = Terminal()
                let ellipsis: Character = terminal.abilities.unicode ? "…" : "~"
                let table = TextTable(
                    header: ["App", "Token", "Categories"],
                    rows: rows.map { [$0.label, $0.token, $0.categories.joined(separator: ", ")] }
                )
                for line in table.lines(width: terminal.size.columns, ellipsis: ellipsis) {
                    try StandardOutput.write(line: line)
                }
            }
        }

        /// The apps and categories that can be shut. Listing them needs no store.
        static func catalogue(of person: SystemAccount) async -> ShieldCatalogue {
            await FocusBackends.bareShield(of: person).catalogue()
                ?? ShieldCatalogue(apps: [], categories: [])
        }
    }

    private struct AppRow: Encodable {
        var token: String
        var label: String
        var categories: [String]
    }
}
#endif
