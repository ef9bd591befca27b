/// The name of one shield among several. Names are compared byte by byte.
public struct ShieldName: Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// Makes a name from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A shield controller's identifier of an app. Only the controller can interpret the identifier.
///
/// Identifiers are compared byte by byte, because a file system may keep two files whose paths differ in their
/// Unicode form alone.
public struct AppToken: Sendable, Codable {
    /// The identifier's text, which the controller chose.
    public let rawValue: String
    /// Makes a token with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A shield controller's identifier of a category of apps. Only the controller can interpret the identifier.
/// Identifiers are compared byte by byte.
public struct CategoryToken: Sendable, Codable {
    /// The identifier's text, which the controller chose.
    public let rawValue: String
    /// Makes a token with this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension ShieldName: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Names of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
}

extension AppToken: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Identifiers of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
}

extension CategoryToken: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Identifiers of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
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
