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
