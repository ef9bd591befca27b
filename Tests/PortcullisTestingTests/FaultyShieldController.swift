import PortcullisCore
import PortcullisTesting
import Synchronization

/// One way in which a shield controller can be wrong.
enum ShieldFault: CaseIterable {
    case none, haunted, shutsNothing, shutsEverything, countsApplies, mergesSelections, staysShut, clearsAll
    case opensShared, oneShield, keepsEmpty, ignoresCategories, throwsUnresolved, hidesUnresolved
    case throwsRefused, refusesInSilence, forgetsAnswer, hidesRevocation, appliesUnauthorised,
        changesThenRefuses
    case clearNeedsRight, failsAfterApply, failsAfterClear, unsortedCatalogue, listsTwice, listsRefused
    case losesUpdates, mixesSelections, cancelledLies, forgetsOnReopening

    /// The clause that is meant to catch it.
    var clause: ShieldControllerContract? {
        switch self {
        case .none: nil
        case .haunted: .nothingAtFirst
        case .shutsNothing, .shutsEverything: .applies
        case .countsApplies: .appliesTwice
        case .mergesSelections: .replaces
        case .staysShut: .clears
        case .clearsAll: .clearsUnknown
        case .opensShared: .unites
        case .oneShield: .shieldsApart
        case .keepsEmpty: .emptySelection
        case .ignoresCategories: .category
        case .throwsUnresolved, .hidesUnresolved: .unresolved
        case .throwsRefused, .refusesInSilence: .refused
        case .forgetsAnswer, .hidesRevocation: .authorization
        case .appliesUnauthorised, .changesThenRefuses: .unauthorisedApply
        case .clearNeedsRight: .unauthorisedClear
        case .failsAfterApply: .failedApply
        case .failsAfterClear: .failedClear
        case .unsortedCatalogue, .listsTwice: .catalogueSorted
        case .listsRefused: .catalogueHolds
        case .losesUpdates: .concurrentShields
        case .mixesSelections: .concurrentChanges
        case .cancelledLies: .cancelledCalls
        case .forgetsOnReopening: .reopening
        }
    }
}

/// A shield controller, right but for one fault.
final class FaultyShieldController: ShieldController {
    private struct State {
        var shields: [ShieldName: ShieldSelection] = [:]
        var applies: [ShieldName: Int] = [:]
        var opened: Set<AppToken> = []
        var stuck: Set<AppToken> = []
        var isRevoked = false
        var fails = false
        var inFlight = 0
        var hasMixed = false
    }

    static let chess = AppToken("chess")
    static let mail = AppToken("mail")
    static let shell = AppToken("shell")
    static let games = CategoryToken("games")

    private let fault: ShieldFault
    private let state = Mutex(State())

    init(_ fault: ShieldFault) {
        self.fault = fault
        if fault == .haunted {
            state.withLock { $0.shields[ShieldName("ghost")] = ShieldSelection(apps: [Self.chess]) }
        }
    }

    func revoke() { state.withLock { $0.isRevoked = true } }
    func failNext() { state.withLock { $0.fails = true } }
    /// What the next start finds.
    func reopened() -> FaultyShieldController {
        if fault == .forgetsOnReopening { state.withLock { $0 = State() } }
        return self
    }

    func isShut(_ app: AppToken) -> Bool {
        if fault == .shutsEverything { return state.withLock { !$0.shields.isEmpty } }
        if fault == .shutsNothing || app == Self.shell { return false }
        return state.withLock { state in
            if state.stuck.contains(app) { return true }
            if state.opened.contains(app) { return false }
            return state.shields.values.contains {
                let isMeant = app == Self.chess && $0.categories.contains(Self.games)
                return $0.apps.contains(app) || isMeant && fault != .ignoresCategories
            }
        }
    }

    var authorization: ShieldAuthorization {
        get async {
            if fault == .forgetsAnswer { return .notDetermined }
            let isRevoked = state.withLock { $0.isRevoked } && fault != .hidesRevocation
            return isRevoked ? .denied(howToAllow: "Allow it.") : .approved
        }
    }

    func requestAuthorization() async -> ShieldAuthorization { .approved }

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        if fault == .cancelledLies, Task.isCancelled { return }
        let isKnown = selection.apps.isSubset(of: [Self.chess, Self.mail, Self.shell])
        let isRefused = selection.apps.contains(Self.shell)
        if fault == .throwsUnresolved && !isKnown || fault == .throwsRefused && isRefused {
            throw ShieldError(code: .systemFailure, message: "a token")
        }
        let isRevoked = state.withLock { $0.isRevoked }
        if isRevoked, fault != .appliesUnauthorised {
            if fault == .changesThenRefuses { state.withLock { $0.shields[shield] = selection } }
            throw ShieldError(code: .notAuthorized, message: "not allowed")
        }
        let fails = takeFailure()
        if fails, fault != .failsAfterApply { throw ShieldError(code: .systemFailure, message: "failed") }
        if fault == .losesUpdates {
            var shields = state.withLock { $0.shields }
            for _ in 0..<3 { await Task.yield() }
            shields[shield] = selection
            state.withLock { [shields] in $0.shields = shields }
        } else if fault == .mixesSelections {
            state.withLock { $0.inFlight += 1 }
            for _ in 0..<10 { await Task.yield() }
            state.withLock { state in
                if state.inFlight > 1 { state.hasMixed = true }
                state.inFlight -= 1
                state.shields[shield] = selection
                if state.hasMixed { state.shields[shield]?.apps.insert(Self.shell) }
            }
        } else {
            state.withLock { put(selection, as: shield, &$0) }
        }
        if fails { throw ShieldError(code: .systemFailure, message: "failed") }
    }

    private func put(_ selection: ShieldSelection, as shield: ShieldName, _ state: inout State) {
        if fault == .oneShield { state.shields = [:] }
        state.applies[shield, default: 0] += 1
        state.opened = []
        if selection.isEmpty, fault != .keepsEmpty {
            state.shields[shield] = nil
        } else if fault == .mergesSelections {
            state.shields[shield, default: ShieldSelection()].apps.formUnion(selection.apps)
        } else {
            state.shields[shield] = selection
        }
    }

    private func takeFailure() -> Bool {
        state.withLock { state in
            defer { state.fails = false }
            return state.fails
        }
    }

    func clear(_ shield: ShieldName) async throws(ShieldError) {
        if fault == .clearNeedsRight, state.withLock({ $0.isRevoked }) {
            throw ShieldError(code: .notAuthorized, message: "not allowed")
        }
        let fails = takeFailure()
        if fails, fault != .failsAfterClear { throw ShieldError(code: .systemFailure, message: "failed") }
        state.withLock { state in
            if fault == .clearsAll, state.shields[shield] == nil { state.shields = [:] }
            state.applies[shield, default: 1] -= 1
            if fault == .countsApplies, state.applies[shield] != 0 { return }
            let apps = state.shields.removeValue(forKey: shield)?.apps ?? []
            if fault == .opensShared { state.opened = apps }
            if fault == .staysShut { state.stuck = apps }
        }
        if fails { throw ShieldError(code: .systemFailure, message: "failed") }
    }

    func coverage() async -> ShieldCoverage {
        let shields = state.withLock { $0.shields }
        var coverage = ShieldCoverage(applied: shields)
        for selection in shields.values {
            for app in selection.apps {
                coverage.apps[app] =
                    switch app {
                    case Self.chess, Self.mail: .gated
                    case Self.shell: .refused(reason: fault == .refusesInSilence ? "" : "it is a shell")
                    default: fault == .hidesUnresolved ? .gated : .unresolved
                    }
            }
            for category in selection.categories {
                coverage.categories[category] = category == Self.games ? .gated : .unresolved
            }
        }
        return coverage
    }

    func catalogue() async -> ShieldCatalogue? {
        var catalogue = ShieldCatalogue(
            apps: [.init(token: Self.mail, label: "Mail"), .init(token: Self.chess, label: "chess")],
            categories: [.init(token: Self.games, label: "Games")]
        )
        if fault == .unsortedCatalogue { catalogue.apps.reverse() }
        if fault == .listsTwice { catalogue.apps += [.init(token: Self.mail, label: "Post")] }
        if fault == .listsRefused { catalogue.apps += [.init(token: Self.shell, label: "Shell")] }
        return catalogue
    }
}
