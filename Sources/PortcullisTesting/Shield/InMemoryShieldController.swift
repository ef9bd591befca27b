public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/ShieldController`` over apps that exist only in a test.
///
/// The test decides whether the controller may shield, which apps and categories exist, which apps it
/// refuses, and which of its calls fail.
public final class InMemoryShieldController: ShieldController {
    /// A call of the port, with its arguments.
    public enum Call: Hashable, Sendable {
        /// A request for the permission to shield.
        case requestAuthorization
        /// A call to apply a shield, whether it succeeded or failed. A call that was cancelled at
        /// ``InMemoryShieldController/applyGate`` is not recorded.
        case apply(ShieldSelection, as: ShieldName)
        /// A call to clear a shield, whether it succeeded or failed.
        case clear(ShieldName)
    }

    /// An operation that a test can make fail.
    public enum Operation: Hashable, Sendable, CaseIterable {
        /// Applying a shield.
        case apply
        /// Clearing a shield.
        case clear
    }

    /// An app that exists for the controller.
    public struct App: Hashable, Sendable {
        /// The controller's token for the app.
        public var token: AppToken
        /// The app's label in the person's language.
        public var label: String
        /// The categories that contain the app.
        public var categories: Set<CategoryToken>
        /// The reason why the app is never shielded; `nil` if it can be shielded.
        public var refusal: String?

        /// Makes an app with these values.
        public init(
            _ token: AppToken,
            label: String,
            categories: Set<CategoryToken> = [],
            refusal: String? = nil
        ) {
            self.token = token
            self.label = label
            self.categories = categories
            self.refusal = refusal
        }
    }

    private struct State {
        var authorization: ShieldAuthorization
        var answer: ShieldAuthorization
        var apps: [AppToken: App] = [:]
        var categoryLabels: [CategoryToken: String]
        var hasCatalogue = true
        var shields: [ShieldName: ShieldSelection] = [:]
        var failures: [Operation: [ShieldError]] = [:]
        var outage: ShieldError?
        var calls: [Call] = []

        mutating func takeFailure(of operation: Operation) -> ShieldError? {
            if let outage { return outage }
            guard failures[operation]?.isEmpty == false else { return nil }
            return failures[operation]?.removeFirst()
        }
    }

    /// The gate of ``requestAuthorization()``. A test can close it, to act while the person is asked.
    public let gate = Gate()
    /// The gate that ``apply(_:as:)`` passes before the shields change. A test can close the gate, to act
    /// before the change. If the task is cancelled at the closed gate, the call throws.
    public let applyGate = Gate()

    private let covered: ShieldCoverage.State
    private let state: Mutex<State>

    /// Makes a controller without shields.
    ///
    /// - Parameters:
    ///   - authorization: whether the controller may shield at first; by default approved.
    ///   - answer: the person's answer to a request; by default approved.
    ///   - apps: the apps that exist.
    ///   - categoryLabels: the labels of the categories. A category without a label shows its token.
    ///   - covered: the state of an app that exists and is shielded; by default gated.
    public init(
        authorization: ShieldAuthorization = .approved,
        answer: ShieldAuthorization = .approved,
        apps: [App] = [],
        categoryLabels: [CategoryToken: String] = [:],
        covered: ShieldCoverage.State = .gated
    ) {
        self.covered = covered
        var state = State(authorization: authorization, answer: answer, categoryLabels: categoryLabels)
        for app in apps { state.apps[app.token] = app }
        self.state = Mutex(state)
    }

    /// Gives or withdraws the permission to shield, as the person does in the system's settings. The shields
    /// stay up.
    public func setAuthorization(_ authorization: ShieldAuthorization) {
        state.withLock { $0.authorization = authorization }
    }

    /// Sets the person's answer to a request.
    public func setAnswer(_ answer: ShieldAuthorization) {
        state.withLock { $0.answer = answer }
    }

    /// Installs an app. It replaces an app with the same token.
    public func install(_ app: App) {
        state.withLock { $0.apps[app.token] = app }
    }

    /// Uninstalls an app.
    public func uninstall(_ app: AppToken) {
        state.withLock { $0.apps[app] = nil }
    }

    /// Sets whether ``catalogue()`` returns a catalogue or `nil`. A platform has no catalogue if its system
    /// shows the list of apps itself.
    public func setCatalogue(isListed: Bool) {
        state.withLock { $0.hasCatalogue = isListed }
    }

    /// Makes the next call of an operation throw this error without an effect. If a test sets several errors
    /// for an operation, each call of the operation throws one, in order.
    public func failNext(_ operation: Operation, with error: ShieldError) {
        state.withLock { $0.failures[operation, default: []].append(error) }
    }

    /// From now on, every call that applies or clears a shield throws this error and has no effect.
    /// `nil` ends the outage.
    public func setOutage(_ error: ShieldError?) {
        state.withLock { $0.outage = error }
    }

    /// The calls so far, including failed calls.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The shields that are up.
    public var shields: [ShieldName: ShieldSelection] { state.withLock { $0.shields } }

    /// Whether an app is shut now.
    public func isShut(_ app: AppToken) -> Bool {
        state.withLock { state in
            guard let app = state.apps[app], app.refusal == nil else { return false }
            return state.shields.values.contains {
                $0.apps.contains(app.token) || !$0.categories.isDisjoint(with: app.categories)
            }
        }
    }

    /// The present authorization. ``setAuthorization(_:)`` and the person's answers change it.
    public var authorization: ShieldAuthorization {
        get async { state.withLock { $0.authorization } }
    }

    /// Returns the person's answer once ``gate`` is open.
    public func requestAuthorization() async -> ShieldAuthorization {
        state.withLock { $0.calls.append(.requestAuthorization) }
        // If the task is cancelled at the gate, the person has not answered, and the authorization stays the
        // same.
        guard await gate.pass() else { return await authorization }
        return state.withLock { state in
            state.authorization = state.answer
            return state.answer
        }
    }

    /// Applies a shield.
    ///
    /// - Throws: the error that was passed to ``failNext(_:with:)`` or ``setOutage(_:)``;
    ///   ``/PortcullisCore/ShieldErrorCode/notAuthorized``;
    ///   ``/PortcullisCore/ShieldErrorCode/systemFailure`` if the task was cancelled at ``applyGate``.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        guard await applyGate.pass() else {
            throw ShieldError(code: .systemFailure, message: "the task was cancelled")
        }
        try state.withLock { state throws(ShieldError) in
            state.calls.append(.apply(selection, as: shield))
            if let failure = state.takeFailure(of: .apply) { throw failure }
            guard state.authorization == .approved else {
                throw ShieldError(code: .notAuthorized, message: "shielding apps is not allowed")
            }
            state.shields[shield] = selection.isEmpty ? nil : selection
        }
    }

    /// Clears a shield.
    ///
    /// - Throws: the error that was passed to ``failNext(_:with:)`` or ``setOutage(_:)``.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {
        try state.withLock { state throws(ShieldError) in
            state.calls.append(.clear(shield))
            if let failure = state.takeFailure(of: .clear) { throw failure }
            state.shields[shield] = nil
        }
    }

    /// Returns the shields that are up and the states of their tokens.
    public func coverage() async -> ShieldCoverage {
        state.withLock { state in
            var coverage = ShieldCoverage(applied: state.shields)
            for selection in state.shields.values {
                for token in selection.apps {
                    coverage.apps[token] = state.apps[token].map(covered(_:)) ?? .unresolved
                }
                for category in selection.categories {
                    let members = state.apps.values.filter { $0.categories.contains(category) }
                    let isCovered = members.contains { $0.refusal == nil }
                    coverage.categories[category] =
                        isCovered ? covered : members.first.map(covered(_:)) ?? .unresolved
                }
            }
            return coverage
        }
    }

    private func covered(_ app: App) -> ShieldCoverage.State {
        app.refusal.map { .refused(reason: $0) } ?? covered
    }

    /// Returns the apps that can be shielded, and their categories; `nil` if there is no catalogue.
    public func catalogue() async -> ShieldCatalogue? {
        state.withLock { state in
            guard state.hasCatalogue else { return nil }
            let apps = state.apps.values.filter { $0.refusal == nil }
            let categories = apps.reduce(into: Set()) { $0.formUnion($1.categories) }
            return ShieldCatalogue(
                apps: apps.map { .init(token: $0.token, label: $0.label) },
                categories: categories.map {
                    .init(token: $0, label: state.categoryLabels[$0] ?? $0.rawValue)
                }
            )
        }
    }
}
