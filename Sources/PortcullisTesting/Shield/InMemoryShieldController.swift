public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/ShieldController`` over apps that exist in a test only.
///
/// It answers what it was told: whether it may shield, which apps there are and in which categories, which it refuses,
/// and when to fail.
public final class InMemoryShieldController: ShieldController {
    /// A call of the port, as it was made.
    public enum Call: Hashable, Sendable {
        /// The right to shield was asked for.
        case requestAuthorization
        /// A shield was put up, or that was refused.
        case apply(ShieldSelection, as: ShieldName)
        /// A shield was taken down, or that failed.
        case clear(ShieldName)
    }

    /// A call that can be told to fail.
    public enum Operation: Hashable, Sendable, CaseIterable {
        /// Putting a shield up.
        case apply
        /// Taking one down.
        case clear
    }

    /// An app that can be shielded.
    public struct App: Hashable, Sendable {
        /// What the controller calls it.
        public var token: AppToken
        /// What the person calls it.
        public var label: String
        /// Where it belongs.
        public var categories: Set<CategoryToken>
        /// Why it is never shielded; `nil` for one that is.
        public var refusal: String?

        /// An app of these parts.
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

    /// Holds ``requestAuthorization()``, where a test looks at what happens while the person is asked.
    public let gate = Gate()
    /// Holds ``apply(_:as:)`` before it takes effect, where a test looks at what happens while a shield is on its way
    /// up; a cancelled task's call throws there.
    public let applyGate = Gate()

    private let covered: ShieldCoverage.State
    private let state: Mutex<State>

    /// A controller with no shield up.
    ///
    /// - Parameters:
    ///   - authorization: whether it may shield now; default: approved.
    ///   - answer: what the person says when asked; default: approved.
    ///   - apps: the apps that there are.
    ///   - categoryLabels: what the person calls the categories; one without a label goes by its token.
    ///   - covered: how far an app that is there is covered; default: gated.
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

    /// Gives or takes the right to shield, as the person does in the system's settings. What is up stays up.
    public func setAuthorization(_ authorization: ShieldAuthorization) {
        state.withLock { $0.authorization = authorization }
    }

    /// Says what the person will answer when asked.
    public func setAnswer(_ answer: ShieldAuthorization) {
        state.withLock { $0.answer = answer }
    }

    /// Installs an app, or replaces it.
    public func install(_ app: App) {
        state.withLock { $0.apps[app.token] = app }
    }

    /// Takes an app away.
    public func uninstall(_ app: AppToken) {
        state.withLock { $0.apps[app] = nil }
    }

    /// Says whether there is a catalogue; without one it is as on a platform that draws its own picker.
    public func setCatalogue(isListed: Bool) {
        state.withLock { $0.hasCatalogue = isListed }
    }

    /// Lets the next call of an operation fail without an effect; several failures come one after the other.
    public func failNext(_ operation: Operation, with error: ShieldError) {
        state.withLock { $0.failures[operation, default: []].append(error) }
    }

    /// Lets every call that puts up or takes down a shield fail without an effect, until it is told otherwise.
    public func setOutage(_ error: ShieldError?) {
        state.withLock { $0.outage = error }
    }

    /// The calls so far, those that failed included.
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

    /// What ``setAuthorization(_:)`` or the last answer said.
    public var authorization: ShieldAuthorization {
        get async { state.withLock { $0.authorization } }
    }

    /// Gives the person's answer, once ``gate`` is open.
    public func requestAuthorization() async -> ShieldAuthorization {
        state.withLock { $0.calls.append(.requestAuthorization) }
        // A person who is no longer asked has not answered.
        guard await gate.pass() else { return await authorization }
        return state.withLock { state in
            state.authorization = state.answer
            return state.answer
        }
    }

    /// Puts a shield up.
    ///
    /// - Throws: what ``failNext(_:with:)`` or ``setOutage(_:)`` was told, or ``/PortcullisCore/ShieldErrorCode/notAuthorized``.
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

    /// Takes a shield down.
    ///
    /// - Throws: what ``failNext(_:with:)`` or ``setOutage(_:)`` was told.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {
        try state.withLock { state throws(ShieldError) in
            state.calls.append(.clear(shield))
            if let failure = state.takeFailure(of: .clear) { throw failure }
            state.shields[shield] = nil
        }
    }

    /// The shields that are up, and what became of their tokens.
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

    /// The apps that are not refused, and their categories.
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
