#if os(Linux)
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import SystemClock
internal import TerminalScreens

/// How the lock stands, as `focus status` tells it.
struct FocusStanding: Sendable {
    /// The lock; `nil` where it was never set.
    var view: GoalView?
    /// How many processes are stopped now.
    var stopped = 0
    /// Whether a run watches.
    var isWatched = false
    var forced: ForcedReleaseNote?
    /// When that was, as the person's clock showed it.
    private var forcedTime: String?
    /// The time since boot at which all that was so.
    var now = Duration.zero

    /// Of a lock that was never set.
    static let off = FocusStanding(view: nil)

    private init(view: GoalView?) { self.view = view }

    /// Looks, and changes nothing.
    ///
    /// - Parameters:
    ///   - parts: the lock's parts.
    ///   - isWatched: whether a run watches.
    /// - Throws: `SecretStoreError`, `GoalError`, `ShieldError` for what cannot be read.
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

    /// What programs read.
    var report: FocusStandingReport { FocusStandingReport(self) }

    /// What people read.
    func lines(width: Int, abilities: TerminalAbilities) -> [String] {
        guard let view else { return ["App Lock is off: it was never set."] + forcedLines }
        let left = GoalText.left(view.nextDay - now)
        guard view.reason != .disabled else { return ["App Lock is off."] + stoppedLines + forcedLines }
        var lines = ["App Lock is on. \(view.date) lasts \(left) more."]
        var line = GoalStatusLine(width: width, abilities: abilities, left: view.nextDay - now)
        line.isShort = true
        lines.append(line.text(view))
        switch view.reason {
        case nil: lines.append("Shut until the goal is reached:")
        case .reached: lines.append("Unlocked: the goal was reached.")
        default: lines.append("Open: \(GoalText.state(view)).")
        }
        if view.reason == nil {
            let rows = view.items.map { item in
                [ForeignText.line(item.label), Self.words(item), ForeignText.line(item.token)]
            }
            let table = TextTable(header: ["App or category", "How", "Token"], rows: rows)
            lines += table.lines(width: width - 2, ellipsis: abilities.unicode ? "…" : "~").map { "  \($0)" }
        }
        lines += stoppedLines
        let watch =
            isWatched
            ? "A run watches."
            : "No run watches: apps stay as they are until the next `portcullis focus run`."
        lines += CellWidth.wrap(watch, to: width)
        return lines + forcedLines.flatMap { CellWidth.wrap($0, to: width) }
    }

    private var stoppedLines: [String] {
        switch stopped {
        case 0: []
        case 1: ["1 process is stopped."]
        default: ["\(stopped) processes are stopped."]
        }
    }

    private var forcedLines: [String] {
        guard let forced, let time = forcedTime else { return [] }
        return ["Last released by force: \(time), by user \(forced.user)."]
    }

    private static func words(_ item: GoalView.Item) -> String {
        switch item.state {
        case .gated: "gated"
        case .reactive: "reactive"
        case .unresolved, nil: "unresolved"
        case .refused(let reason): "refused: \(ForeignText.line(reason))"
        }
    }
}

/// How the lock stands, as JSON.
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
