#if os(Linux)
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import SystemClock
internal import TerminalScreens

/// The lock's state as `focus status` prints it.
struct FocusStanding: Sendable {
    /// The lock's status and the chosen apps by label; `nil` if the lock was never set.
    var view: GoalView?
    /// The number of processes that are stopped now.
    var stopped = 0
    /// Whether a `focus run` or `focus settings` watches the lock.
    var isWatched = false
    var forced: ForcedReleaseNote?
    /// The local time of the last forced release, as text.
    private var forcedTime: String?
    /// The time since boot at which the state was read.
    var now = Duration.zero

    static let off = FocusStanding(view: nil)

    private init(view: GoalView?) { self.view = view }

    /// Reads the state without changing it.
    ///
    /// - Parameters:
    ///   - parts: the lock's ports.
    ///   - isWatched: whether a `focus run` or `focus settings` watches the lock.
    /// - Throws: `GoalError` or `ShieldError` if a part cannot be read.
    init(_ parts: FocusBackends, isWatched: Bool) async throws {
        let status = try await parts.service().status()
        let content = try await ShieldContent.read(from: parts.keystore, clock: parts.clock)
        let report = try await parts.shield.report()
        now = parts.clock.now.sinceBoot
        stopped = report.stopped
        self.isWatched = isWatched
        forced = try await ForcedReleaseNote.last(in: parts.keystore)
        forcedTime = forced.flatMap { $0.localTime(ahead: parts.clock.offset(at: $0.wall)) }
        guard let content else { return }
        view = GoalView(
            status,
            title: content.title,
            catalogue: await parts.shield.catalogue(),
            coverage: status.isShielded ? report.coverage : nil,
            now: now
        )
    }

    /// The state in the form that is written as JSON.
    var report: FocusStandingReport { FocusStandingReport(self) }

    func lines(width: Int, abilities: TerminalAbilities) -> [String] {
        GoalSummary(
            view: view,
            left: view.map { $0.nextDay - now } ?? .zero,
            stopped: stopped,
            watch: isWatched
                ? "A process watches."
                : "No run watches: apps stay as they are until the next `portcullis focus run`.",
            forced: forced.flatMap { note in forcedTime.map { ($0, note.user) } }
        ).lines(width: width, abilities: abilities)
    }
}

/// The lock's state as JSON.
struct FocusStandingReport: Encodable, Sendable {
    private struct Forced: Encodable {
        var time: String
        var user: UInt32
    }

    private enum Key: String, CodingKey {
        case enabled, stopped, watched, forcedRelease, reason, unlocked, shut
    }

    private let standing: FocusStanding

    init(_ standing: FocusStanding) { self.standing = standing }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        if let view = standing.view {
            try GoalMessageRecord.Status(view, now: standing.now).encode(to: encoder)
            try members.encode(view.reason != .disabled, forKey: .enabled)
        } else {
            try members.encode(false, forKey: .enabled)
            try members.encode("disabled", forKey: .reason)
            try members.encode(false, forKey: .unlocked)
            try members.encode(0, forKey: .shut)
        }
        try members.encode(standing.stopped, forKey: .stopped)
        try members.encode(standing.isWatched, forKey: .watched)
        let forced = standing.forced.flatMap { note in note.time.map { Forced(time: $0, user: note.user) } }
        try members.encode(forced, forKey: .forcedRelease)
    }
}
#endif
