import AdapterKit
import ConsoleNotifier
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("What waits for a stream's reader (X-2)", .timeLimit(.minutes(5)))
struct BacklogTests {
    /// A sink that takes a line each time it is let, and counts those it took.
    private final class Turnstile: Sendable {
        private let state = Mutex((allowed: 0, taken: 0))
        var taken: Int { state.withLock { $0.taken } }
        func open(_ count: Int = 1) { state.withLock { $0.allowed += count } }

        @Sendable func write(_: [UInt8]) {
            while !state.withLock({ state in
                guard state.allowed > state.taken else { return false }
                state.taken += 1
                return true
            }) { usleep(200) }
        }
    }

    let clock = ManualClock(wall: .seconds(1_767_268_800))

    private func note(_ id: String) -> LockNotification { LockNotification(id: id, title: id, body: "") }

    @Test("X-2: a flush ends when the last line is out, for all who wait for it; the next one is its own")
    func flushes() async throws {
        let turnstile = Turnstile()
        let notifier = ConsoleNotifier(clock: clock, sink: turnstile.write)
        #expect(await notifier.requestAuthorization())
        for round in 1...5 {
            for _ in 0..<2 { try await notifier.deliver(note("a")) }
            let flushes = (0..<3).map { _ in
                Task { @concurrent in
                    await notifier.flush()
                    return turnstile.taken
                }
            }
            turnstile.open()
            try await BoundedWait.until { turnstile.taken == 2 * round - 1 }
            for _ in 0..<50 { await Task.yield() }
            turnstile.open()
            for flush in flushes { #expect(await flush.value == 2 * round) }
        }
    }

    @Test("X-2: a flush whose task is cancelled ends, however long the reader is stuck")
    func cancelledFlush() async throws {
        let turnstile = Turnstile()
        let notifier = ConsoleNotifier(clock: clock, sink: turnstile.write)
        try await notifier.deliver(note("a"))
        for _ in 0..<50 {
            let flushing = Task { @concurrent in await notifier.flush() }
            for _ in 0..<20 { await Task.yield() }
            flushing.cancel()
            await flushing.value
        }
        turnstile.open()
        await notifier.flush()
        #expect(turnstile.taken == 1)
    }

    @Test("X-2: what is due while the reader is stuck is lost and counted")
    func lost() async throws {
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        let turnstile = Turnstile()
        let notifier = ConsoleNotifier(clock: clock, backlog: 1, executor: executor, sink: turnstile.write)
        #expect(notifier.lostCount == 0)
        for id in ["a", "b", "c"] {
            try await notifier.deliver(note(id), at: clock.now.wall + .seconds(10))
        }
        await clock.advance(by: .seconds(10))
        #expect(notifier.lostCount == 2)
        #expect(await notifier.pending().isEmpty)
        turnstile.open()
        await notifier.flush()
        #expect(turnstile.taken == 1)
    }

    @Test("X-2: what is replaced, cancelled, delivered at once or left behind waits for no time any more")
    func timers() async throws {
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        var notifier: ConsoleNotifier? = ConsoleNotifier(clock: clock, executor: executor, sink: { _ in })
        let time = clock.now.wall + .seconds(1_000)
        func demand(_ count: Int, _ what: String) async {
            await clock.advance(by: .zero)
            #expect(clock.sleeperCount == count, "\(what)")
        }
        for id in ["a", "b", "c", "d"] { try await notifier?.deliver(note(id), at: time) }
        await demand(4, "four that are to come")
        try await notifier?.deliver(note("a"), at: time + .seconds(1))
        await demand(4, "one in the place of another")
        await notifier?.cancel(["b"])
        await demand(3, "one cancelled")
        try await notifier?.deliver(note("c"))
        await demand(2, "one at once")
        notifier = nil
        await demand(0, "none is there to write them")
    }

    /// A clock whose sleepers wake once before their time, as where it is set back meanwhile.
    private final class EarlyClock: LockClock {
        let clock = ManualClock()
        private let calls = Mutex(0)
        var sleeps: Int { calls.withLock { $0 } }

        var now: Moment { clock.now }
        var isSynchronised: Bool { clock.isSynchronised }
        var zone: String { clock.zone }
        func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
            let isFirst = calls.withLock { calls in
                calls += 1
                return calls == 1
            }
            if !isFirst { try await clock.sleep(until: deadline) }
        }
        func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
            clock.civilDate(at: wall, dayStart: dayStart)
        }
        func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
            clock.nextDayStart(after: wall, dayStart: dayStart)
        }
        func notices() -> AsyncStream<ClockNotice> { clock.notices() }
    }

    @Test("X-2: one that is woken before its time sleeps again, and no more once it is out")
    func wokenEarly() async throws {
        let clock = EarlyClock()
        let turnstile = Turnstile()
        turnstile.open(10)
        let notifier = ConsoleNotifier(clock: clock, sink: turnstile.write)
        try await notifier.deliver(note("a"), at: clock.now.wall + .seconds(10))
        await clock.clock.waitForSleepers(1)
        #expect(clock.sleeps == 2 && turnstile.taken == 0)
        await clock.clock.advance(by: .seconds(10))
        try await BoundedWait.until { await notifier.pending().isEmpty }
        await notifier.flush()
        for _ in 0..<50 { await Task.yield() }
        #expect(clock.sleeps == 2 && turnstile.taken == 1)
    }

    @Test(
        "X-2: a sink writes all of a line, also where its reader takes it in parts and the stream does not wait"
    )
    func parts() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let flags = fcntl(ends[1], F_GETFL)
        _ = fcntl(ends[1], F_SETFL, flags | O_NONBLOCK)
        let line = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let (sink, input) = (ConsoleNotifier.descriptorSink(ends[1]), ends[0])
        let isOver = Mutex(false)
        Threads.start {
            sink(line)
            isOver.withLock { $0 = true }
        }
        let read = await WorkerThread().run { [count = line.count] in
            var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 10_000))
            while bytes.count < count {
                let part = unsafe Glibc.read(input, &buffer, buffer.count)
                guard part > 0 else { break }
                bytes += buffer[..<part]
            }
            return bytes
        }
        #expect(read == line)
        try await BoundedWait.until("the sink's end") { isOver.withLock { $0 } }
        close(ends[0])
        close(ends[1])
    }
}
