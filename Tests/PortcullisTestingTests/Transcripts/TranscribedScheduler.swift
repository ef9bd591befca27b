import PortcullisCore
import PortcullisTesting
import Synchronization

/// A right scheduler whose answers are written down, with the time and zone of its clock.
struct TranscribedScheduler: ActivityScheduler {
    let inner: FaultyScheduler
    let transcript: Transcript
    let clock: ManualClock

    static func subject(_ transcript: Transcript) -> ActivitySchedulerSubject {
        ActivitySchedulerSubject(
            settle: { await ($0 as? Self)?.inner.settle() },
            make: { Self(inner: FaultyScheduler($0, .none), transcript: transcript, clock: $0) }
        )
    }

    var capabilities: ActivitySchedulerCapabilities { inner.capabilities }

    private static func isFence(_ name: ActivityName) -> Bool { name.rawValue.hasPrefix("contract.fence") }

    func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        if Self.isFence(activity) {
            transcript.note("drain \(time(clock.now.wall)) \(clock.zone)")
            return try await inner.start(activity, schedule: schedule)
        }
        try await transcript.call(
            "start \(activity.rawValue) \(Self.text(schedule)) \(time(clock.now.wall))",
            as: { "done" },
            or: { result in
                result.others(
                    ActivitySchedulerError(code: .unavailable, message: "bent"),
                    ActivitySchedulerError(code: .unavailable, message: "bent")
                )
            },
            { () throws(ActivitySchedulerError) in try await inner.start(activity, schedule: schedule) }
        )
    }

    func stop(_ activities: Set<ActivityName>) async {
        if !activities.contains(where: Self.isFence) {
            transcript.note("stop \(activities.map(\.rawValue).sorted()) \(time(clock.now.wall))")
        }
        await inner.stop(activities)
    }

    func monitored() async -> [ActivityName: MonitoredActivity] {
        let monitored = await inner.monitored().filter { !Self.isFence($0.key) }
        var others: [(String, [ActivityName: MonitoredActivity])] = []
        func add(_ text: String, _ change: (inout [ActivityName: MonitoredActivity]) -> Void) {
            var other = monitored
            change(&other)
            others.append((text, other))
        }
        let names = monitored.keys.sorted { $0.rawValue < $1.rawValue }
        for name in names {
            let text = name.rawValue
            add("no \(text)") { $0[name] = nil }
            add("another schedule of \(text)") { $0[name]?.schedule.repeats.toggle() }
            add("no next event of \(text)") { $0[name]?.nextEvent = nil }
            add("an earlier next event of \(text)") { $0[name]?.nextEvent? -= .seconds(120) }
            add("a later next event of \(text)") { $0[name]?.nextEvent? += .seconds(120) }
        }
        if let schedule = names.first.flatMap({ monitored[$0] }) {
            add("one more") { $0["ghost"] = schedule }
        } else if let noon = TimeOfDay(hour: 12, minute: 0) {
            let schedule = ActivitySchedule(start: noon, end: noon, repeats: true)
            add("one more") { $0["ghost"] = MonitoredActivity(schedule: schedule, nextEvent: nil) }
        }
        let texts = names.map { name in
            "\(name.rawValue) \(monitored[name].map { Self.text($0.schedule) } ?? "")"
        }
        return transcript.answer("monitored \(time(clock.now.wall))", monitored, as: "\(texts)", or: others)
    }

    func events() -> AsyncStream<ActivityEvent> {
        let number = transcript.number(of: "taker \(transcript.entries.count)")
        transcript.note("taker \(number)")
        let base = inner.events()
        // An event is written down when it is taken, so that the order does not depend on tasks.
        let again = Mutex<ActivityEvent?>(nil)
        let taker = Taker(base: base, again: again)
        return AsyncStream { await self.next(taker, number) }
    }

    private final class Taker: Sendable {
        let base: AsyncStream<ActivityEvent>
        let again: Mutex<ActivityEvent?>

        init(base: AsyncStream<ActivityEvent>, again: consuming sending Mutex<ActivityEvent?>) {
            self.base = base
            self.again = again
        }
    }

    private func next(_ taker: Taker, _ number: Int) async -> ActivityEvent? {
        let left = taker.again.withLock { again in
            defer { again = nil }
            return again
        }
        if let left { return left }
        var iterator = taker.base.makeAsyncIterator()
        guard let event = await iterator.next() else { return nil }
        if Self.isFence(event.activity) { return event }
        let changed: [(String, (inout ActivityEvent) -> Void)] = [
            (
                "another kind",
                { $0.kind = $0.kind == .intervalDidStart ? .intervalDidEnd : .intervalDidStart }
            ),
            ("another time", { $0.scheduled += .seconds(60) }),
            ("another name", { $0.activity = $0.activity == "contract" ? "contract.other" : "contract" }),
        ]
        let others = changed.map { text, change in
            var other = event
            change(&other)
            return (text, [other])
        }
        let seen = transcript.answer(
            "taker \(number)",
            [event],
            as: "\(event.activity.rawValue) \(event.kind) \(time(event.scheduled))",
            or: others + [("twice", [event, event])]
        )
        if seen.count > 1 { taker.again.withLock { $0 = seen[1] } }
        return seen[0]
    }

    private func time(_ wall: Duration) -> String {
        // The first of January 2026, on which the suite's time begins.
        let minutes = (wall.components.seconds - 1_767_225_600) / 60
        let seconds = wall.components.seconds % 60
        let clock = "\(minutes / 60 % 24):\(minutes % 60)" + (seconds == 0 ? "" : ":\(seconds)")
        return "day \(minutes / 1_440) \(clock)"
    }

    private static func text(_ schedule: ActivitySchedule) -> String {
        let (start, end) = (schedule.start, schedule.end)
        let warning = schedule.warning.map { " warning \($0)" } ?? ""
        return
            "\(start.hour):\(start.minute)-\(end.hour):\(end.minute)\(schedule.repeats ? "" : " once")\(warning)"
    }
}
