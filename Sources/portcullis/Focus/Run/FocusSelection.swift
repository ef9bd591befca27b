#if os(Linux)
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources

/// What was named on the command line, checked against what there is.
struct FocusSelection: Sendable {
    /// The apps and categories, under the names that the catalogue has for them.
    let selection: ShieldSelection

    /// Checks names.
    ///
    /// - Parameters:
    ///   - apps: desktop-file ids, with or without their ending, or absolute paths.
    ///   - categories: categories of the menu by token or label.
    ///   - person: whose apps.
    /// - Throws: ``ToolExit/usage`` for a name that says nothing here, or names what is never shut.
    init(apps: [String], categories: [String], of person: SystemAccount) async throws(ToolFailure) {
        let shield = FocusBackends.bareShield(of: person)
        let catalogue = await shield.catalogue() ?? ShieldCatalogue(apps: [], categories: [])
        var selection = ShieldSelection()
        for name in apps {
            let token = Self.app(name, in: catalogue)
            try Self.check(await shield.standing(of: token), of: "app", name)
            selection.apps.insert(token)
        }
        for name in categories {
            let token = Self.listed(name, in: catalogue) ?? CategoryToken(name)
            try Self.check(await shield.standing(of: token), of: "category", name)
            selection.categories.insert(token)
        }
        self.selection = selection
    }

    /// A category of a catalogue, by token or label.
    ///
    /// - Throws: ``ToolExit/usage`` when there is none.
    static func category(_ name: String, in catalogue: ShieldCatalogue) throws(ToolFailure) -> CategoryToken {
        guard let token = listed(name, in: catalogue) else { throw unknown("category", name) }
        return token
    }

    private static func app(_ name: String, in catalogue: ShieldCatalogue) -> AppToken {
        let known = Set(catalogue.apps.map(\.token))
        let tokens = [AppToken(name), AppToken("\(name).desktop")]
        return tokens.first(where: known.contains) ?? AppToken(name)
    }

    private static func listed(_ name: String, in catalogue: ShieldCatalogue) -> CategoryToken? {
        catalogue.categories.first { entry in
            entry.token.rawValue == name || entry.label.lowercased() == name.lowercased()
        }?.token
    }

    private static func check(
        _ standing: ShieldTokenStanding,
        of what: String,
        _ name: String
    ) throws(ToolFailure) {
        switch standing {
        // A path that is there and names no program is a mistake, and so is a category with nothing in it; the
        // program of an app that is listed may be installed later.
        case .unresolved(let reason) where what == "category" || name.hasPrefix("/"):
            throw ToolFailure(
                "\(what) '\(ForeignText.line(name))' cannot be shut: \(ForeignText.line(reason)); "
                    + "`portcullis focus apps` lists what can be",
                .usage
            )
        case .known, .unresolved: return
        case .unknown: throw unknown(what, name)
        case .refused(let reason):
            throw ToolFailure(
                "\(what) '\(ForeignText.line(name))' is never shut: \(ForeignText.line(reason)); "
                    + "`portcullis focus apps` lists what can be",
                .usage
            )
        }
    }

    private static func unknown(_ what: String, _ name: String) -> ToolFailure {
        ToolFailure(
            "there is no \(what) '\(ForeignText.line(name))': `portcullis focus apps` lists what there is",
            .usage
        )
    }
}
#endif
