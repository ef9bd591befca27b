import PortcullisCore
import PortcullisTesting
import Testing

@Suite("ManualExecutor (S-6)", .timeLimit(.minutes(5)))
struct ManualExecutorTests {
    let executor = ManualExecutor()
    let log = Journal<String>()

    @Test("S-6: nothing runs before it is told to; then everything does, in the order of becoming ready")
    func order() async {
        let (executor, log) = (executor, log)
        let tasks = ["a", "b", "c"].map { name in
            Task(executorPreference: executor) {
                for round in 1...3 {
                    log.note("\(name)\(round)")
                    await Task.yield()
                }
            }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(log.entries == [])
        executor.runUntilIdle()
        #expect(log.entries == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
        for task in tasks { await task.value }
        executor.runUntilIdle()
        #expect(log.entries.count == 9)
    }

    @Test("S-6: of thousands of turns each is had once, and in order")
    func manyTurns() async {
        let (executor, log) = (executor, Journal<Int>())
        for task in 0..<3 {
            Task(executorPreference: executor) {
                for turn in 0..<2_000 {
                    log.note(turn * 3 + task)
                    await Task.yield()
                }
            }
        }
        executor.runUntilIdle()
        #expect(log.entries == Array(0..<6_000))
    }

    @Test("S-6: children, actors and streams of a task run with it; the caller stays who it was")
    func nesting() async {
        actor Counter {
            var count = 0
            func rise() -> Int {
                count += 1
                return count
            }
        }
        let (executor, log, counter) = (executor, log, Counter())
        let (stream, numbers) = AsyncStream.makeStream(of: Int.self)
        let listening = Task(executorPreference: executor) {
            for await number in stream { log.note("heard \(number)") }
            log.note("over")
        }
        let working = Task(executorPreference: executor) {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { await counter.rise() } }
                for await number in group { numbers.yield(number) }
            }
            numbers.finish()
        }
        let me = unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
        Names.$own.withValue("test") {
            executor.runUntilIdle()
            #expect(Names.own == "test")
        }
        let stillMe = unsafe withUnsafeCurrentTask { task in unsafe task?.hashValue }
        #expect(me == stillMe)
        #expect(log.entries.count == 4)
        #expect(log.entries.last == "over")
        await working.value
        await listening.value
    }

    private enum Names { @TaskLocal static var own = "nobody" }

    @Test("S-6: a job may run the executor itself; what is ready runs inside it")
    func reentrance() {
        let (executor, log) = (executor, log)
        Task(executorPreference: executor) {
            log.note("outer begins")
            executor.runUntilIdle()
            log.note("outer ends")
        }
        Task(executorPreference: executor) { log.note("inner") }
        executor.runUntilIdle()
        #expect(log.entries == ["outer begins", "inner", "outer ends"])
    }

    @Test("S-6: a clock with it needs no waiting: whatever can happen at an instant has happened")
    func clock() async {
        let (executor, log) = (executor, log)
        let clock = ManualClock(wall: .zero, executor: executor)
        for (name, period) in [("b", 3), ("a", 2)] {
            Task(executorPreference: executor) {
                for round in 1...3 {
                    try await clock.sleep(until: .wall(.seconds(period * round)))
                    // A chain of turns far longer than any fixed number of yields by the clock.
                    for _ in 0..<500 { await Task.yield() }
                    log.note("\(name)@\(clock.now.wall.components.seconds)")
                }
            }
        }
        await clock.waitForSleepers(2)
        #expect(clock.sleeperCount == 2)
        await clock.advance(by: .seconds(20))
        #expect(log.entries == ["a@2", "b@3", "a@4", "b@6", "a@6", "b@9"])
    }

    @Test("S-6: sets of the clock, suspends, notices and cancelled sleeps are dealt with before it returns")
    func everyMove() async {
        let (executor, log) = (executor, log)
        let clock = ManualClock(wall: .zero, executor: executor)
        Task(executorPreference: executor) {
            for await notice in clock.notices() { log.note("\(notice)") }
        }
        let sleeping = [10, 20, 1_000_000].map { second in
            Task(executorPreference: executor) {
                do throws(CancellationError) {
                    try await clock.sleep(until: .wall(.seconds(second)))
                    log.note("woke \(second)")
                } catch {
                    log.note("cancelled \(second)")
                }
            }
        }
        await clock.waitForSleepers(3)
        await clock.suspend(for: .seconds(15))
        #expect(log.entries == ["woke 10"])
        await clock.setWall(.seconds(30))
        #expect(log.entries == ["woke 10", "woke 20", "wallClockSet"])
        await clock.reboot()
        #expect(log.entries == ["woke 10", "woke 20", "wallClockSet", "cancelled 1000000"])
        for task in sleeping { await task.value }
    }

    @Test("S-6: sleepers that do not prefer it are waited for as without it")
    func others() async throws {
        let clock = ManualClock(wall: .zero, executor: executor)
        let log = log
        let sleeping = Task {
            for second in 1...5 {
                try await clock.sleep(until: .wall(.seconds(second)))
                log.note("\(second)")
            }
        }
        for _ in 1...5 {
            await clock.waitForSleepers(1)
            await clock.advance(by: .seconds(1))
        }
        try await sleeping.value
        #expect(log.entries == ["1", "2", "3", "4", "5"])
    }

    @Test("S-6: a year of a hundred thousand instants passes in one step, each at its time")
    func year() async throws {
        let (executor, count) = (executor, 100_000)
        let clock = ManualClock(wall: .zero, executor: executor)
        let step = Duration.seconds(315)
        let ticking = Task(executorPreference: executor) {
            var late = 0
            for index in 1...count {
                try await clock.sleep(until: .wall(step * index))
                if clock.now.wall != step * index { late += 1 }
            }
            return late
        }
        await clock.advance(by: .seconds(365 * 86_400))
        #expect(clock.now.wall == .seconds(365 * 86_400))
        #expect(try await ticking.value == 0)
    }
}
