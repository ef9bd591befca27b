public import PortcullisCore

/// A ``/PortcullisCore/ShieldController`` to be checked against ``ShieldControllerContract``, with the apps it is tried on.
public struct ShieldControllerSubject: Sendable {
    /// What the clauses name.
    public struct Tokens: Sendable {
        /// An app that can be shut.
        public var app: AppToken
        /// Another one.
        public var otherApp: AppToken
        /// A category to which ``app`` belongs and ``otherApp`` does not; `nil` where there are none.
        public var category: CategoryToken?
        /// An app that is never shielded; `nil` where there is none.
        public var refused: AppToken?

        /// Tokens of these parts.
        public init(
            app: AppToken,
            otherApp: AppToken,
            category: CategoryToken? = nil,
            refused: AppToken? = nil
        ) {
            self.app = app
            self.otherApp = otherApp
            self.category = category
            self.refused = refused
        }
    }

    /// A fresh controller with the ways to look behind it; a way that a platform does not have is `nil`, and the
    /// clauses that need it do not apply.
    public struct Place: Sendable {
        /// The controller, with no shield up and the right to shield.
        public var controller: any ShieldController
        /// What the clauses name.
        public var tokens: Tokens
        /// Whether an app is shut in fact, seen from outside the controller.
        public var isShut: (@Sendable (AppToken) async throws -> Bool)?
        /// Takes the right to shield away.
        public var revoke: (@Sendable () async throws -> Void)?
        /// Lets the next call fail, whichever it is.
        public var failNext: (@Sendable () async throws -> Void)?
        /// Lets the controller go and makes another one over what it left, as the next start of the app does.
        public var reopen: (@Sendable () async throws -> any ShieldController)?

        /// A place of these parts.
        public init(
            controller: any ShieldController,
            tokens: Tokens,
            isShut: (@Sendable (AppToken) async throws -> Bool)? = nil,
            revoke: (@Sendable () async throws -> Void)? = nil,
            failNext: (@Sendable () async throws -> Void)? = nil,
            reopen: (@Sendable () async throws -> any ShieldController)? = nil
        ) {
            self.controller = controller
            self.tokens = tokens
            self.isShut = isShut
            self.revoke = revoke
            self.failNext = failNext
            self.reopen = reopen
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// A controller to be checked.
    ///
    /// - Parameter makePlace: makes a fresh controller; each clause has one of its own.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
