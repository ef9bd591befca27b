internal import PortcullisCore
internal import Synchronization

/// A new notifier, with the functions that check the notifier for each clause.
final class NotifierProbe: Sendable {
    private static let fencePrefix = "contract.fence-"

    let place: NotifierSubject.Place
    let clock: any LockClock
    let manual: ManualClock?
    let patience: Duration
    private let fences = Atomic<Int>(0)

    init(_ subject: NotifierSubject) async throws {
        patience = subject.patience
        switch subject.time {
        case .manual(let makeClock, let makePlace):
            let clock = makeClock()
            self.manual = clock
            self.clock = clock
            self.place = try await makePlace(clock)
        case .running(let clock, let makePlace):
            self.manual = nil
            self.clock = clock
            self.place = try await makePlace()
        }
    }

    var notifier: any Notifier { place.notifier }

    /// The notifier as a scheduling notifier; `nil` if it cannot schedule notifications.
    var scheduling: (any SchedulingNotifier)? { notifier as? any SchedulingNotifier }

    /// Delivers a notification at a wall time, or at once if the time is `nil`.
    func schedule(_ note: LockNotification, at wall: Duration?) async throws {
        guard let wall else { return try await notifier.deliver(note) }
        guard let scheduling else {
            throw Finding("a clause about times ran on a notifier that delivers at once only")
        }
        try await scheduling.deliver(note, at: wall)
    }

    /// The pending notifications; none if the notifier cannot schedule notifications.
    func pending() async -> [PendingNotification] { await scheduling?.pending() ?? [] }

    /// The wall time this many minutes from now.
    func time(_ minutes: Int) -> Duration { clock.now.wall + .seconds(minutes * 60) }

    func note(_ id: String, _ text: String = "Text") -> LockNotification {
        LockNotification(id: "contract.\(id)", title: "Title of \(id)", body: text)
    }

    func movable() throws(Finding) -> ManualClock {
        guard let manual else {
            throw Finding("a clause that moves time ran on a clock that cannot be moved")
        }
        return manual
    }

    /// Requires that exactly these notifications have been delivered since the start. If `ordered` is `true`,
    /// their order must be the same too.
    ///
    /// A test cannot wait for a notification that never comes. The probe therefore delivers another
    /// notification without a time. When that notification has come, all earlier notifications without a time
    /// have come too. Due notifications with a time have also come, because each move of a manual clock waits
    /// until the clock's executor is idle.
    func expect(_ expected: [LockNotification], _ what: String, ordered: Bool = true) async throws {
        let seen = try await settled(atLeast: expected.count)
        let (left, right) = ordered ? (seen, expected) : (Self.sorted(seen), Self.sorted(expected))
        let isRight = left == right
        try require(isRight, "\(what): expected \(Self.text(expected)), were \(Self.text(seen))")
    }

    /// Waits until at least `count` notifications have been delivered, but not longer than `patience`. Then
    /// waits for the notifications that are still in delivery. Returns all delivered notifications except the
    /// probe's own.
    func settled(atLeast count: Int) async throws -> [LockNotification] {
        let deadline = ContinuousClock.now + patience
        while try await delivered().count < count, ContinuousClock.now < deadline { try await pause() }
        let fence = note("")
        let id = "\(Self.fencePrefix)\(fences.wrappingAdd(1, ordering: .relaxed).newValue)"
        try await notifier.deliver(LockNotification(id: id, title: fence.title, body: fence.body))
        while try await !place.delivered().contains(where: { $0.id == id }) {
            try require(
                ContinuousClock.now < deadline + patience,
                "a notification without a time did not come"
            )
            try await pause()
        }
        return try await delivered()
    }

    private func delivered() async throws -> [LockNotification] {
        try await place.delivered().filter { !$0.id.hasPrefix(Self.fencePrefix) }
    }

    /// Pauses for 2 ms of real time. Callers repeat the pause only while other threads are at work, or when a
    /// clause fails.
    private func pause() async throws { try await Task.sleep(for: .milliseconds(2)) }

    /// Waits in real time until a condition holds or `patience` has passed. Returns whether the condition
    /// holds.
    func wait(until condition: @Sendable () -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + patience
        while !condition(), ContinuousClock.now < deadline { try await pause() }
        return condition()
    }

    /// Requires that exactly these notifications are pending, in this order.
    func expectPending(_ expected: [(LockNotification, Duration)], _ what: String) async throws {
        let wanted = expected.map { PendingNotification(notification: $0.0, wall: $0.1) }
        let seen = await pending()
        let texts = (Self.text(wanted.map(\.notification)), Self.text(seen.map(\.notification)))
        try require(seen == wanted, "\(what): expected pending \(texts.0), were \(texts.1)")
    }

    private static func sorted(_ notes: [LockNotification]) -> [LockNotification] {
        notes.sorted { ($0.id, $0.body) < ($1.id, $1.body) }
    }

    private static func text(_ notes: [LockNotification]) -> String {
        notes.isEmpty ? "none" : notes.map { "\($0.id) \"\($0.body)\"" }.joined(separator: ", ")
    }
}
