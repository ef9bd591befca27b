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

    /// Whether the bytes are equal. Unicode equivalence does not count, because the files of two apps may differ
    /// only in the Unicode form of their names.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Tokens of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// A shield controller's identifier of a category of apps. Only the controller can interpret the identifier.
public struct CategoryToken: Hashable, Sendable, Codable {
    /// The identifier's text, which the controller chose.
    public let rawValue: String
    /// Makes a token with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Tokens of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
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
