public import PortcullisCore

/// A ``/PortcullisCore/ShieldController`` to be checked against ``ShieldControllerContract``. The subject's
/// function makes a controller, together with the app tokens that the clauses use.
public struct ShieldControllerSubject: Sendable {
    /// The tokens that the clauses use.
    public struct Tokens: Sendable {
        /// An app that can be shut.
        public var app: AppToken
        /// Another app that can be shut.
        public var otherApp: AppToken
        /// A category that contains ``app`` but not ``otherApp``; `nil` if the platform has no categories.
        public var category: CategoryToken?
        /// An app that the controller never shields; `nil` if there is none.
        public var refused: AppToken?

        /// Makes a set of tokens.
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

    /// A new controller, with functions that observe and change its surroundings. If the platform does not
    /// offer a function, the function is `nil`, and the clauses that need it do not apply.
    public struct Place: Sendable {
        /// The controller, with permission to shield and no shield up.
        public var controller: any ShieldController
        /// The tokens that the clauses use.
        public var tokens: Tokens
        /// Whether an app is really shut, observed without the controller.
        public var isShut: (@Sendable (AppToken) async throws -> Bool)?
        /// Withdraws the permission to shield.
        public var revoke: (@Sendable () async throws -> Void)?
        /// Makes the next call of `apply` or `clear` fail.
        public var failNext: (@Sendable () async throws -> Void)?
        /// Drops the controller and makes a new one over the same state, as the next start of the app does.
        public var reopen: (@Sendable () async throws -> any ShieldController)?

        /// Makes a place with this controller, these tokens and these functions.
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

    /// Makes a subject.
    ///
    /// - Parameter makePlace: makes a new controller for each clause.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}
