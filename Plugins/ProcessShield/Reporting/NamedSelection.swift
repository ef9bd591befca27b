public import PortcullisCore

/// The error for a name that a person wrote, if the name stands for nothing that can be shielded.
public struct ShieldNameError: Error, Sendable, Hashable {
    /// The kind of thing that the name should stand for.
    public enum Kind: String, Sendable, Hashable {
        /// An app.
        case app
        /// A category of apps.
        case category
    }

    /// The kind of thing that the name should stand for.
    public var kind: Kind
    /// The name as the person wrote it.
    public var name: String
    /// Why the name cannot be shielded; never ``ShieldTokenStanding/known``.
    public var standing: ShieldTokenStanding

    /// Creates the error for a name.
    public init(kind: Kind, name: String, standing: ShieldTokenStanding) {
        self.kind = kind
        self.name = name
        self.standing = standing
    }

    /// The error in one sentence for people. Control characters are replaced, so that a terminal does not
    /// obey them.
    public var text: String {
        let name = "\(kind) '\(ForeignText.line(name))'"
        return switch standing {
        case .unresolved(let reason): "\(name) cannot be shut: \(ForeignText.line(reason))"
        case .refused(let reason): "\(name) is never shut: \(ForeignText.line(reason))"
        case .known, .unknown: "there is no \(name)"
        }
    }
}

#if os(Linux)
extension ProcessShield {
    /// Returns a selection of the apps and categories that a person names. Names that the catalogue contains
    /// are replaced by the catalogue's tokens.
    ///
    /// A path to a file that is no program is an error. A category without apps is an error too. An app with
    /// a desktop entry is accepted even if its program is missing, since the program may be installed later.
    ///
    /// - Parameters:
    ///   - apps: desktop-file ids, with or without their ending, or absolute paths.
    ///   - categories: categories of the menu by token or label.
    /// - Throws: ``ShieldNameError`` for the first name that is unknown or names something that is never
    ///   shielded.
    public func selection(
        apps: [String],
        categories: [String]
    ) async throws(ShieldNameError) -> ShieldSelection {
        var catalogue = ShieldCatalogue(apps: [], categories: [])
        // An absolute path is not looked up in the catalogue. So if all names are paths, the catalogue is not
        // listed. Listing it would resolve every app.
        if !categories.isEmpty || apps.contains(where: { !$0.hasPrefix("/") }),
            let listed = await self.catalogue()
        {
            catalogue = listed
        }
        var selection = ShieldSelection()
        for name in apps {
            let token = Self.app(name, in: catalogue)
            try Self.check(await standing(of: token), of: .app, name)
            selection.apps.insert(token)
        }
        for name in categories {
            let token = catalogue.category(named: name) ?? CategoryToken(name)
            try Self.check(await standing(of: token), of: .category, name)
            selection.categories.insert(token)
        }
        return selection
    }

    private static func app(_ name: String, in catalogue: ShieldCatalogue) -> AppToken {
        let known = Set(catalogue.apps.map(\.token))
        let tokens = [AppToken(name), AppToken("\(name).desktop")]
        return tokens.first(where: known.contains) ?? AppToken(name)
    }

    private static func check(
        _ standing: ShieldTokenStanding,
        of kind: ShieldNameError.Kind,
        _ name: String
    ) throws(ShieldNameError) {
        switch standing {
        case .unresolved where kind == .app && !name.hasPrefix("/"), .known: return
        case .unresolved, .unknown, .refused:
            throw ShieldNameError(kind: kind, name: name, standing: standing)
        }
    }
}
#endif
