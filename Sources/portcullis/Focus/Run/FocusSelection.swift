#if os(Linux)
internal import PortcullisCore
internal import ProcessShield

/// What was named on the command line, checked against what there is.
struct FocusSelection: Sendable {
    /// The apps and categories, under the names that the catalogue has for them.
    let selection: ShieldSelection

    /// Checks names.
    ///
    /// - Parameters:
    ///   - apps: desktop-file ids, with or without their ending, or absolute paths.
    ///   - categories: categories of the menu by token or label.
    ///   - shield: knows what there is.
    /// - Throws: ``ToolExit/usage`` for a name that says nothing here.
    init(apps: [String], categories: [String], on shield: ProcessShield) async throws(ToolFailure) {
        let catalogue = await shield.catalogue()
        var selection = ShieldSelection()
        for name in apps { selection.apps.insert(try Self.app(name, in: catalogue)) }
        for name in categories { selection.categories.insert(try Self.category(name, in: catalogue)) }
        self.selection = selection
    }

    private static func app(_ name: String, in catalogue: ShieldCatalogue?) throws(ToolFailure) -> AppToken {
        if name.hasPrefix("/") { return AppToken(name) }
        let tokens = [AppToken(name), AppToken("\(name).desktop")]
        let known = Set((catalogue?.apps ?? []).map(\.token))
        guard let token = tokens.first(where: known.contains) else { throw unknown("app", name) }
        return token
    }

    private static func category(
        _ name: String,
        in catalogue: ShieldCatalogue?
    ) throws(ToolFailure) -> CategoryToken {
        let entry = (catalogue?.categories ?? []).first { entry in
            entry.token.rawValue == name || entry.label.lowercased() == name.lowercased()
        }
        guard let entry else { throw unknown("category", name) }
        return entry.token
    }

    private static func unknown(_ what: String, _ name: String) -> ToolFailure {
        ToolFailure(
            "there is no \(what) '\(Harmless.text(name))': `portcullis focus apps` lists what there is",
            .usage
        )
    }
}
#endif
