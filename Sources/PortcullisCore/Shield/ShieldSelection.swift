/// The name of one shield among several.
public struct ShieldName: Hashable, Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// Makes a name from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A shield controller's identifier of an app. Only the controller can interpret the identifier.
public struct AppToken: Hashable, Sendable, Codable {
    /// The identifier's text, which the controller chose.
    public let rawValue: String
    /// Makes a token with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A shield controller's identifier of a category of apps. Only the controller can interpret the identifier.
public struct CategoryToken: Hashable, Sendable, Codable {
    /// The identifier's text, which the controller chose.
    public let rawValue: String
    /// Makes a token with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The apps and categories that a person chose.
public struct ShieldSelection: Hashable, Sendable, Codable {
    /// The apps that were chosen one by one.
    public var apps: Set<AppToken>
    /// The categories that were chosen as a whole. Apps that join a category later are included.
    public var categories: Set<CategoryToken>

    /// Makes a selection from these tokens.
    public init(apps: Set<AppToken> = [], categories: Set<CategoryToken> = []) {
        self.apps = apps
        self.categories = categories
    }

    /// Whether nothing is chosen.
    public var isEmpty: Bool { apps.isEmpty && categories.isEmpty }
}
