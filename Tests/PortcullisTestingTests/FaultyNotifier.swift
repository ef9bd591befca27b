import PortcullisCore
import PortcullisTesting
import Synchronization

/// One way in which a notifier can be wrong.
enum NotifierFault: CaseIterable {
    case none, greets, startsPending, dropsNow, changesText, newestFirst, holdsPresent, dropsPast
    case early, never, repeats, unsortedPending, forgetsTime, keepsListing, dueInCallOrder
    case addsPending, keepsTime, keepsPending, ignoresCancel, cancelsAll, cancelsOthers, recallsShown
    case banishes, repeatsAfterBack, ignoresForward, scattersForward, ignoresBack, sleepsOver, losesDeliveries
    case doublesReplacements, cancelledLies, waitsForReader, losesWhileStuck
    case ignoresRight, wrongCode, schedulesForbidden, alwaysYes

    /// The clause that is meant to catch it.
    var clause: NotifierContract? {
        switch self {
        case .none: nil
        case .greets, .startsPending: .nothingAtFirst
        case .dropsNow, .changesText: .now
        case .newestFirst: .nowInOrder
        case .holdsPresent, .dropsPast: .pastDate
        case .early, .never, .repeats: .atDate
        case .unsortedPending, .forgetsTime, .keepsListing: .pending
        case .dueInCallOrder: .dueInOrder
        case .addsPending, .keepsTime: .replaces
        case .keepsPending: .replacesNow
        case .ignoresCancel, .cancelsAll: .cancels
        case .cancelsOthers, .recallsShown: .cancelsUnknown
        case .banishes: .reused
        case .repeatsAfterBack: .atMostOnce
        case .ignoresForward, .scattersForward: .setForward
        case .ignoresBack: .setBack
        case .sleepsOver: .asleep
        case .losesDeliveries: .concurrentDeliveries
        case .doublesReplacements: .concurrentReplacements
        case .cancelledLies: .cancelledCalls
        case .waitsForReader, .losesWhileStuck: .stuckReader
        case .ignoresRight, .wrongCode, .schedulesForbidden: .forbidden
        case .alwaysYes: .authorization
        }
    }
}

/// A notifier, right but for one fault; it looks for what is due whenever it is asked.
final class FaultyNotifier: SchedulingNotifier {
    private struct Waiting {
        var pending: PendingNotification
        var dueSinceBoot: Duration
    }

    private struct State {
        var shown: [LockNotification] = []
        /// In the order of the calls.
        var waiting: [Waiting] = []
        var past: [PendingNotification] = []
        var banished: Set<String> = []
        var latest = Duration.zero
        var inFlight = 0
        var hasMixed = false
        var isForbidden = false
        var isStuck = false
        var held: [LockNotification] = []
    }

    private let fault: NotifierFault
    private let clock: any LockClock
    private let state = Mutex(State())
    private let gate = Gate()

    init(_ clock: any LockClock, _ fault: NotifierFault) {
        self.clock = clock
        self.fault = fault
        let ghost = LockNotification(id: "ghost", title: "Boo", body: "")
        if fault == .greets { state.withLock { $0.shown = [ghost] } }
        let pending = PendingNotification(notification: ghost, wall: clock.now.wall + .seconds(1_000_000))
        if fault == .startsPending {
            state.withLock { $0.waiting = [Waiting(pending: pending, dueSinceBoot: .seconds(1_000_000))] }
        }
    }

    var shown: [LockNotification] {
        state.withLock { state in
            deliverDue(&state)
            return state.shown
        }
    }

    func forbid() { state.withLock { $0.isForbidden = true } }

    func setStuck(_ isStuck: Bool) {
        if isStuck { gate.close() } else { gate.open() }
        state.withLock { state in
            state.isStuck = isStuck
            if isStuck { return }
            if fault != .losesWhileStuck { state.shown += state.held }
            state.held = []
        }
    }

    func requestAuthorization() async -> Bool { fault == .alwaysYes || !state.withLock { $0.isForbidden } }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        try await take(notification, at: nil)
    }

    func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError) {
        try await take(notification, at: wall)
    }

    private func take(_ notification: LockNotification, at wall: Duration?) async throws(NotifierError) {
        if fault == .cancelledLies, Task.isCancelled { return }
        if fault == .waitsForReader { _ = await gate.pass() }
        if state.withLock({ $0.isForbidden }), fault != .ignoresRight {
            if fault == .schedulesForbidden, let wall {
                state.withLock { schedule(notification, at: wall, &$0) }
            }
            let code: NotifierError.Code = fault == .wrongCode ? .systemFailure : .notAuthorized
            throw NotifierError(code: code, message: "not allowed")
        }
        if fault == .losesDeliveries {
            let waiting = state.withLock { $0.waiting }
            for _ in 0..<3 { await Task.yield() }
            state.withLock { $0.waiting = waiting }
        }
        state.withLock { state in
            state.inFlight += 1
            if state.inFlight > 1 { state.hasMixed = true }
        }
        if fault == .doublesReplacements { for _ in 0..<10 { await Task.yield() } }
        state.withLock { state in
            take(notification, at: wall, &state)
            state.inFlight -= 1
        }
    }

    private func take(_ notification: LockNotification, at wall: Duration?, _ state: inout State) {
        deliverDue(&state)
        let now = clock.now.wall
        if fault == .banishes, state.banished.contains(notification.id) { return }
        let isDue = wall.map { fault == .holdsPresent ? $0 < now : $0 <= now } ?? true
        if let wall, !isDue { return schedule(notification, at: wall, &state) }
        if fault != .keepsPending {
            state.waiting.removeAll { $0.pending.notification.id == notification.id }
        }
        if fault == .dropsPast, wall != nil { return }
        if fault == .dropsNow, notification.body.hasPrefix("A ") { return }
        show(notification, &state)
    }

    private func schedule(_ notification: LockNotification, at wall: Duration, _ state: inout State) {
        let old = state.waiting.first { $0.pending.notification.id == notification.id }
        let isDoubled = fault == .doublesReplacements && state.hasMixed
        if fault != .addsPending, !isDoubled {
            state.waiting.removeAll { $0.pending.notification.id == notification.id }
        }
        let time = fault == .keepsTime ? old?.pending.wall ?? wall : wall
        let now = clock.now
        state.waiting.append(
            Waiting(
                pending: PendingNotification(notification: notification, wall: time),
                dueSinceBoot: now.sinceBoot + time - now.wall
            )
        )
    }

    private func show(_ notification: LockNotification, _ state: inout State) {
        var notification = notification
        if fault == .changesText { notification.title = notification.title.replacing("\n", with: " ") }
        if state.isStuck {
            state.held.append(notification)
        } else if fault == .newestFirst {
            state.shown.insert(notification, at: 0)
        } else {
            state.shown.append(notification)
        }
    }

    private func deliverDue(_ state: inout State) {
        let now = clock.now
        if fault == .repeatsAfterBack, now.wall < state.latest {
            state.waiting += state.past.map { Waiting(pending: $0, dueSinceBoot: now.sinceBoot) }
            state.past = []
        }
        if fault == .repeats, now.wall - state.latest > .seconds(40_000) {
            for pending in state.past { show(pending.notification, &state) }
        }
        state.latest = now.wall
        var due = state.waiting.filter { isDue($0, at: now) }
        state.waiting.removeAll { isDue($0, at: now) }
        if fault == .sleepsOver { due.removeAll { now.wall - $0.pending.wall > .seconds(86_400) } }
        let isInCallOrder =
            switch fault {
            case .dueInCallOrder: true
            case .scattersForward: now.sinceBoot < .seconds(3_700)
            default: false
            }
        if !isInCallOrder { due.sort { $0.pending.wall < $1.pending.wall } }
        for waiting in due {
            show(waiting.pending.notification, &state)
            state.past.append(waiting.pending)
        }
    }

    private func isDue(_ waiting: Waiting, at now: Moment) -> Bool {
        switch fault {
        case .never: false
        case .holdsPresent: waiting.pending.wall < now.wall
        case .early: waiting.pending.wall <= now.wall + .seconds(30)
        case .ignoresForward: waiting.pending.wall <= now.wall && waiting.dueSinceBoot <= now.sinceBoot
        case .ignoresBack: waiting.pending.wall <= now.wall || waiting.dueSinceBoot <= now.sinceBoot
        default: waiting.pending.wall <= now.wall
        }
    }

    func withdraw(_ ids: Set<String>) async {
        state.withLock { state in
            deliverDue(&state)
            if fault == .banishes { state.banished.formUnion(ids) }
            if fault == .recallsShown { state.shown.removeAll { ids.contains($0.id) } }
            if fault == .ignoresCancel { return }
            let isKnown = state.waiting.contains { ids.contains($0.pending.notification.id) }
            if fault == .cancelsAll && isKnown || fault == .cancelsOthers && !isKnown { state.waiting = [] }
            state.waiting.removeAll { ids.contains($0.pending.notification.id) }
        }
    }

    func pending() async -> [PendingNotification] {
        state.withLock { state in
            deliverDue(&state)
            var all = state.waiting.map(\.pending)
            if fault == .keepsListing { all += state.past }
            if fault == .forgetsTime { for index in all.indices { all[index].wall = .zero } }
            return fault == .unsortedPending ? all : all.sorted { $0.wall < $1.wall }
        }
    }
}
