import AdapterKit
import ConsoleNotifier
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("ConsoleNotifier keeps the contract (X-2, X-3)", .timeLimit(.minutes(5)))
struct ConsoleNotifierContractTests {
    /// A stream whose reader can stop reading, and whose lines are read back.
    private final class Stream: Sendable {
        private struct Line: Decodable {
            var id: String
            var title: String
            var body: String
        }

        private let lines = Mutex<[LockNotification]>([])
        /// Held while nobody reads.
        private let barrier = Barrier()

        @Sendable func write(_ bytes: [UInt8]) {
            barrier.pass()
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(bytes)) else { return }
            lines.withLock { $0.append(LockNotification(id: line.id, title: line.title, body: line.body)) }
        }

        var notes: [LockNotification] { lines.withLock { $0 } }

        func setStuck(_ isStuck: Bool) { barrier.setClosed(isStuck) }
    }

    private func place(_ stream: Stream, _ console: ConsoleNotifier, _ notifier: any Notifier)
        -> NotifierSubject.Place
    {
        .init(
            notifier: notifier,
            delivered: {
                await console.flush()
                return stream.notes
            },
            setStuck: { stream.setStuck($0) }
        )
    }

    @Test("X-3: keeps the contract, and delivers at once only", arguments: NotifierContract.allCases)
    func contract(_ clause: NotifierContract) async throws {
        let result = try await clause.check(
            NotifierSubject { clock in
                let stream = Stream()
                let console = ConsoleNotifier(format: .jsonLines, clock: clock, sink: stream.write)
                return place(stream, console, console)
            }
        )
        let kept: Set<NotifierContract> = [
            .nothingAtFirst, .now, .nowInOrder, .cancelsUnknown, .concurrentDeliveries, .cancelledCalls,
            .stuckReader, .authorization,
        ]
        if clause == .forbidden {
            #expect(result == .notApplicable("the right cannot be taken away in a test"))
        } else {
            #expect(result == (kept.contains(clause) ? .kept : .notApplicable("it delivers at once only")))
        }
    }

    @Test(
        "X-3: deferred, it keeps what is asked of later deliveries, too",
        arguments: NotifierContract.allCases
    )
    func deferred(_ clause: NotifierContract) async throws {
        let subject = NotifierSubject { clock in
            let stream = Stream()
            let console = ConsoleNotifier(format: .jsonLines, clock: clock, sink: stream.write)
            let notifier = DeferredNotifier(console, clock: clock, executor: clock.executor) { _, _ in }
            return place(stream, console, notifier)
        }
        let expected: ContractResult =
            clause == .forbidden ? .notApplicable("the right cannot be taken away in a test") : .kept
        #expect(try await clause.check(subject) == expected)
    }
}

/// Blocks the thread that comes while it is closed, as a full pipe does.
private final class Barrier: Sendable {
    private let isClosed = Atomic<Bool>(false)

    func setClosed(_ closed: Bool) { isClosed.store(closed, ordering: .sequentiallyConsistent) }

    func pass() {
        while isClosed.load(ordering: .sequentiallyConsistent) { usleep(1_000) }
    }
}
