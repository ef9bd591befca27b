public import PortcullisCore

/// Why a name that a person wrote stands for nothing that can be shut.
public struct ShieldNameError: Error, Sendable, Hashable {
    /// What the name was to stand for.
    public enum Kind: String, Sendable, Hashable {
        /// An app.
        case app
        /// A category of apps.
        case category
    }

    /// What the name was to stand for.
    public var kind: Kind
    /// The name, as it was written.
    public var name: String
    /// What it stands for instead; never ``ShieldTokenStanding/known``.
    public var standing: ShieldTokenStanding

    /// A name that cannot be shut.
    public init(kind: Kind, name: String, standing: ShieldTokenStanding) {
        self.kind = kind
        self.name = name
        self.standing = standing
    }

    /// What is wrong, in one sentence for people, with nothing in it that a terminal would obey.
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
    /// The apps and categories that a person names, under the tokens that the catalogue has for them.
    ///
    /// A path that is there and names no program is a mistake, and so is a category with nothing in it. The program of an app
    /// that is listed may be installed later.
    ///
    /// - Parameters:
    ///   - apps: desktop-file ids, with or without their ending, or absolute paths.
    ///   - categories: categories of the menu by token or label.
    /// - Throws: ``ShieldNameError`` for the first name that says nothing here, or names what is never shut.
    public func selection(
        apps: [String],
        categories: [String]
    ) async throws(ShieldNameError) -> ShieldSelection {
        let catalogue = await catalogue() ?? ShieldCatalogue(apps: [], categories: [])
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
