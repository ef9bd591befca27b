/// Keeps chosen apps shut.
///
/// ## For callers
/// - Several named shields unite: an app is shut while any shield that names it is applied.
/// - Applying a shield again replaces its selection; applying the same is harmless. Clearing one that is not
///   applied is harmless.
/// - What really is in force is in ``coverage()``: a platform may resolve or stop less than was asked.
///
/// ## For implementers
/// - Without authorization ``apply(_:as:)`` throws ``ShieldError/Code/notAuthorized`` and changes nothing.
/// - A token that names nothing here is reported by ``coverage()`` as ``ShieldCoverage/State/unresolved``; it is no
///   error, because an app may be installed later.
/// - Shields hold over restarts of the app as the platform's documentation of the adapter says.
public protocol ShieldController: Sendable {
    /// Whether apps may be shielded now, without asking.
    var authorization: ShieldAuthorization { get async }

    /// Asks for the right to shield, where the platform wants to be asked.
    ///
    /// - Returns: the answer; a second call after a denial may return it without asking.
    func requestAuthorization() async -> ShieldAuthorization

    /// Puts a shield up, or replaces its selection.
    ///
    /// - Throws: ``ShieldError``: not authorized, or the platform failed.
    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError)

    /// Takes a shield down.
    ///
    /// - Throws: ``ShieldError`` when the platform failed; the shield then stays up.
    func clear(_ shield: ShieldName) async throws(ShieldError)

    /// What is in force now.
    func coverage() async -> ShieldCoverage

    /// The apps and categories that can be chosen, with labels; `nil` where the system draws its own picker.
    func catalogue() async -> ShieldCatalogue?
}

/// Whether apps may be shielded.
public enum ShieldAuthorization: Hashable, Sendable {
    /// Nobody was asked yet.
    case notDetermined
    /// Yes.
    case approved
    /// No; the text tells the person how to allow it.
    case denied(howToAllow: String)
}

/// The name of one shield among several.
public struct ShieldName: Hashable, Sendable, Codable {
    /// The text of the name.
    public let rawValue: String
    /// A shield of this name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// An app, as the shield controller names it: opaque to everyone else.
public struct AppToken: Hashable, Sendable, Codable {
    /// The controller's text.
    public let rawValue: String
    /// A token of this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A category of apps, as the shield controller names it: opaque to everyone else.
public struct CategoryToken: Hashable, Sendable, Codable {
    /// The controller's text.
    public let rawValue: String
    /// A token of this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The apps and categories a person chose.
public struct ShieldSelection: Hashable, Sendable, Codable {
    /// Apps chosen one by one.
    public var apps: Set<AppToken>
    /// Categories chosen as a whole; apps that join one later are meant too.
    public var categories: Set<CategoryToken>

    /// A selection of these tokens.
    public init(apps: Set<AppToken> = [], categories: Set<CategoryToken> = []) {
        self.apps = apps
        self.categories = categories
    }

    /// Whether nothing is chosen.
    public var isEmpty: Bool { apps.isEmpty && categories.isEmpty }
}

/// What is in force.
public struct ShieldCoverage: Hashable, Sendable {
    /// How far a token is covered.
    public enum State: Hashable, Sendable {
        /// Its start is denied.
        case gated
        /// It can start and is stopped then.
        case reactive
        /// It names nothing here.
        case unresolved
        /// It names something that is never shielded; the text says why.
        case refused(reason: String)
    }

    /// The shields that are up, with their selections.
    public var applied: [ShieldName: ShieldSelection]
    /// The state of each app token.
    public var apps: [AppToken: State]
    /// The state of each category token.
    public var categories: [CategoryToken: State]

    /// A coverage of these parts.
    public init(
        applied: [ShieldName: ShieldSelection] = [:],
        apps: [AppToken: State] = [:],
        categories: [CategoryToken: State] = [:]
    ) {
        self.applied = applied
        self.apps = apps
        self.categories = categories
    }
}

/// What can be chosen.
public struct ShieldCatalogue: Hashable, Sendable {
    /// A token with what the person calls it.
    public struct Entry<Token: Hashable & Sendable>: Hashable, Sendable {
        /// The token.
        public var token: Token
        /// The label in the person's language.
        public var label: String

        /// An entry of these parts.
        public init(token: Token, label: String) {
            self.token = token
            self.label = label
        }
    }

    /// The apps, sorted by label.
    public var apps: [Entry<AppToken>]
    /// The categories, sorted by label.
    public var categories: [Entry<CategoryToken>]

    /// A catalogue of these parts.
    public init(apps: [Entry<AppToken>], categories: [Entry<CategoryToken>]) {
        self.apps = apps
        self.categories = categories
    }
}

/// Why a ``ShieldController`` could not do what it was asked.
public struct ShieldError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable { case notAuthorized, unavailable, systemFailure }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The right to shield is missing or was taken away.
        public static let notAuthorized = Code(.notAuthorized)
        /// No shield controller was configured.
        public static let unavailable = Code(.unavailable)
        /// The platform failed; the message says how.
        public static let systemFailure = Code(.systemFailure)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String

    /// An error of this kind.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message on one line.
    public var description: String { "\(code): \(message)" }
}
