internal import ArgumentParser
internal import CMalloc
internal import Dispatch
internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting
internal import Synchronization

/// Measures what a server pays for the locks of its sessions: memory, and the time of each event.
///
/// Store and sealer are those of the tests, in memory, so that the driver is measured and not what it waits for.
@main
struct DriverBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures many drivers of the passcode lock, each on an actor of its own."
    )

    @Option(help: "How many sessions, each of a user of its own.") var sessions = 10_000
    @Option(help: "How often each event happens to each session.") var rounds = 3

    func validate() throws {
        guard sessions > 0, rounds > 0 else { throw ValidationError("Both are one or more.") }
    }

    func run() throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Void, any Error>
            do {
                try await measure()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            end.signal()
        }
        // The main thread waits here all the time: what needed the main actor would never end.
        end.wait()
        try outcome.withLock { $0 }?.get()
    }

    private func measure() async throws {
        let backends = SharedBackends()
        let passcode = SecretBytes(copying: ServerSession.right.utf8)
        for number in 0..<sessions { try await backends.service(number).set(passcode) }
        let empty = Self.allocatedBytes
        let open = try (0..<sessions).map { try ServerSession(backends.service($0)) }
        for session in open { await session.start() }
        let whenOpen = Self.allocatedBytes
        for session in open { await session.lock() }
        let whenLocked = Self.allocatedBytes
        for session in open { await session.type(ServerSession.right, until: .none) }

        print("| \(sessions) sessions, \(rounds) rounds | median | p99 | most |")
        print("| --- | --- | --- | --- |")
        for (what, bytes) in [("an open session", whenOpen), ("a locked one, with its screen", whenLocked)] {
            print("| memory of \(what) | \(Scale.bytes(bytes - empty, each: sessions)) | | |")
        }
        try await time("to the background and back", open) { session in
            await session.enter(.background)
            await session.enter(.active)
        }
        var unlocking: [Duration] = []
        var wrong: [Duration] = []
        var locking: [Duration] = []
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for session in open {
                locking.append(await clock.measure { await session.lock() })
                wrong.append(
                    await clock.measure { await session.type(ServerSession.wrong, until: .lockScreen) }
                )
                unlocking.append(
                    await clock.measure { await session.type(ServerSession.right, until: .none) }
                )
            }
        }
        report("lock", locking)
        report("six digits, a wrong passcode", wrong)
        report("six digits, the right passcode", unlocking)
        let together = await clock.measure {
            await withTaskGroup { group in
                for session in open {
                    group.addTask {
                        await session.lock()
                        await session.type(ServerSession.right, until: .none)
                    }
                }
            }
        }
        print("| all lock and unlock at once, each | \(Scale.microseconds(together / sessions)) | | |")
    }

    private func time(
        _ what: String,
        _ open: [ServerSession],
        _ event: (ServerSession) async throws -> Void
    ) async throws {
        var times: [Duration] = []
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for session in open { times.append(try await clock.measure { try await event(session) }) }
        }
        report(what, times)
    }

    private func report(_ what: String, _ times: [Duration]) {
        let sorted = times.sorted()
        let figures = [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], sorted[sorted.count - 1]]
        print("| \(what) | \(figures.map(Scale.microseconds).joined(separator: " | ")) |")
    }

    /// What malloc has given out.
    private static var allocatedBytes: Int {
        let statistics = mallinfo2()
        return statistics.uordblks + statistics.hblkhd
    }
}

/// Figures as text.
private enum Scale {
    static func microseconds(_ time: Duration) -> String {
        let tenths = Int((time / .nanoseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) µs"
    }

    static func bytes(_ bytes: Int, each count: Int) -> String {
        let tenths = bytes * 10 / count / 1_000
        return "\(tenths / 10).\(tenths % 10) kB"
    }
}
