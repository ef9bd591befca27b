import Audit
import GoalLock
import Logging
import MetricsTestKit
import PasscodeLock
import PortcullisCore
import Synchronization
import Testing

@Suite("AuditTrail", .timeLimit(.minutes(5)))
struct AuditTrailTests {
    /// A log that keeps its lines.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            lines.append(
                "\(event.level) \(event.message)" + details.map { " \($0.key)=\($0.value)" }.joined()
            )
        }
    }

    private let lines = Lines()
    private let metrics = TestMetrics()
    private let moment = Moment(wall: .seconds(1_790_000_000), sinceBoot: .seconds(5), boot: BootID("boot"))

    private var trail: AuditTrail {
        AuditTrail(logger: Logger(label: "audit") { [lines] _ in Handler(lines: lines) }, metrics: metrics)
    }

    private func stream<Event: Sendable>(_ events: [Event]) -> AsyncStream<Event> {
        AsyncStream { continuation in
            for event in events { continuation.yield(event) }
            continuation.finish()
        }
    }

    private func count(_ label: String, _ event: String) throws -> Int64 {
        try metrics.expectCounter(label, [("event", event)]).totalValue
    }

    @Test("each event of a passcode is a line and a count")
    func passcode() async throws {
        let kinds: [PasscodeEvent.Kind] = [
            .set, .locked, .tried, .wrong(failures: 5, retryAfter: .seconds(60)),
            .throttled(retryAfter: .seconds(59)), .tried, .right, .unlocked(.passcode),
            .failed(.lock, .store),
            .limitReached(.erase),
        ]
        await trail.follow(stream(kinds.map { PasscodeEvent(user: .device, moment: moment, kind: $0) }))
        let place = "user=device"
        #expect(
            lines.all == [
                "notice set at=1790000000 \(place)", "info locked at=1790000000 \(place)",
                "debug tried at=1790000000 \(place)",
                "warning wrong at=1790000000 failures=5 retry-after=60 \(place)",
                "warning throttled at=1790000000 retry-after=59 \(place)",
                "debug tried at=1790000000 \(place)", "info right at=1790000000 \(place)",
                "info unlocked at=1790000000 by=passcode \(place)",
                "error failed act=lock at=1790000000 code=store \(place)",
                "error limit-reached action=erase at=1790000000 \(place)",
            ]
        )
        #expect(try count("passcode_events", "tried") == 2)
        #expect(try count("passcode_events", "wrong") == 1)
    }

    @Test("each event of a goal lock is a line and a count")
    func goal() async throws {
        let kinds: [GoalEvent.Kind] = [.enabled, .shielded, .lifted(.reached), .failed(.shield)]
        await trail.follow(stream(kinds.map { GoalEvent(moment: moment, kind: $0) }))
        #expect(
            lines.all == [
                "notice enabled at=1790000000", "info shielded at=1790000000",
                "info lifted at=1790000000 reason=reached", "error failed at=1790000000 code=shield",
            ]
        )
        #expect(try count("goal_events", "lifted") == 1)
    }
}
