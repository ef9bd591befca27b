import AdapterKit
import Dispatch
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("Broadcaster", .timeLimit(.minutes(2)))
struct BroadcasterTests {
    @Test("every stream gets all values from its beginning on, in one order")
    func order() async {
        let broadcaster = Broadcaster<Int>()
        let early = broadcaster.stream()
        broadcaster.send(1)
        let late = broadcaster.stream(after: [10, 11])
        await withTaskGroup { group in
            for start in [100, 200, 300, 400] {
                group.addTask { broadcaster.send(contentsOf: start..<start + 50) }
            }
        }
        broadcaster.finish()
        let all = await early.reduce(into: []) { $0.append($1) }
        #expect(all.count == 201 && all.first == 1)
        #expect(await late.reduce(into: []) { $0.append($1) } == [10, 11] + all.dropFirst())
        // No other value came between those that were sent together.
        for start in [100, 200, 300, 400] {
            let place = all.firstIndex(of: start) ?? 0
            #expect(Array(all[place...].prefix(50)) == Array(start..<start + 50))
        }
    }

    @Test("values that threads send at once come to each stream in one order")
    func oneOrder() async {
        let broadcaster = Broadcaster<Int>()
        let (one, other) = (broadcaster.stream(), broadcaster.stream())
        await withTaskGroup { group in
            for start in 0..<4 {
                group.addTask { @concurrent in
                    for number in 0..<5_000 { broadcaster.send(start * 5_000 + number) }
                }
            }
        }
        broadcaster.finish()
        let all = await one.reduce(into: []) { $0.append($1) }
        #expect(all.count == 20_000)
        #expect(await other.reduce(into: []) { $0.append($1) } == all)
    }

    @Test("a full buffer keeps what its policy says, and the other streams lose nothing")
    func buffering() async {
        let broadcaster = Broadcaster<Int>()
        let (latest, all) = (broadcaster.stream(buffering: .bufferingNewest(1)), broadcaster.stream())
        broadcaster.send(contentsOf: [1, 2, 3])
        broadcaster.finish()
        #expect(await latest.reduce(into: []) { $0.append($1) } == [3])
        #expect(await all.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    }

    @Test("a stream that is dropped is not heard any more, and says so once")
    func dropped() async throws {
        let broadcaster = Broadcaster<Int>()
        let ended = Mutex(0)
        #expect(!broadcaster.isHeard)
        do {
            let stream = broadcaster.stream(whenEnded: { ended.withLock { $0 += 1 } })
            #expect(broadcaster.isHeard)
            _ = stream
        }
        try await BoundedWait.until("the end") { !broadcaster.isHeard && ended.withLock { $0 } == 1 }
    }

    @Test("streams end with the broadcaster, and those asked for after its end are over")
    func finished() async {
        let ended = Mutex(0)
        var broadcaster: Broadcaster<Int>? = Broadcaster()
        let stream = broadcaster?.stream(whenEnded: { ended.withLock { $0 += 1 } })
        broadcaster = nil
        #expect(await stream?.reduce(0, +) == 0)
        let over = Broadcaster<Int>()
        over.finish()
        #expect(await over.stream(after: [1]).reduce(0, +) == 0)
        #expect(!over.isHeard)
        #expect(ended.withLock { $0 } == 0)
    }

    @Test("a reader is resumed with no lock held that the cancelling of another reader needs")
    func resumes() async throws {
        let broadcaster = Broadcaster<Int>()
        let answered = Mutex(Bool?.none)
        let executor = AskingExecutor {
            let answer = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                // Takes the same lock as a stream whose reader was cancelled.
                _ = broadcaster.isHeard
                answer.signal()
            }
            let isAnswered = answer.wait(timeout: .now() + 10) == .success
            answered.withLock { $0 = isAnswered }
        }
        let stream = broadcaster.stream()
        let reader = Task(executorPreference: executor) { await stream.reduce(0, +) }
        // The reader waits when its executor has nothing left to do.
        try await BoundedWait.until("the reader") { executor.hasRun }
        executor.asks = true
        broadcaster.send(1)
        executor.asks = false
        #expect(answered.withLock { $0 } == true)
        broadcaster.finish()
        #expect(await reader.value == 1)
    }

    @Test("a value that is sent while another is handed out comes after it, to the streams there were")
    func nested() async throws {
        let broadcaster = Broadcaster<Int>()
        let late = Mutex(AsyncStream<Int>?.none)
        let executor = AskingExecutor {
            broadcaster.send(2)
            late.withLock { $0 = broadcaster.stream() }
            broadcaster.finish()
            broadcaster.send(3)
        }
        let (stream, other) = (broadcaster.stream(), broadcaster.stream())
        let reader = Task(executorPreference: executor) { await stream.reduce(into: []) { $0.append($1) } }
        try await BoundedWait.until("the reader") { executor.hasRun }
        executor.asks = true
        broadcaster.send(1)
        executor.asks = false
        #expect(await reader.value == [1, 2])
        #expect(await other.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await late.withLock { $0 }?.reduce(0, +) == 0)
    }

    /// Runs jobs one after the other, and does something else where one is given to it.
    private final class AskingExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "asking executor")
        private let state = Mutex((asks: false, given: 0, ended: 0))
        private let ask: @Sendable () -> Void

        init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

        /// Whether it asks at the next job, and only then.
        var asks: Bool {
            get { state.withLock { $0.asks } }
            set { state.withLock { $0.asks = newValue } }
        }

        /// Whether all jobs that there were have ended, and there was one.
        var hasRun: Bool { state.withLock { $0.given > 0 && $0.given == $0.ended } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let asks = state.withLock { state in
                defer { state.asks = false }
                state.given += 1
                return state.asks
            }
            if asks { ask() }
            queue.async {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.state.withLock { $0.ended += 1 }
            }
        }
    }

    @Test("no value is made for streams that have gone, and none after the end")
    func unheard() async {
        let broadcaster = Broadcaster<Int>()
        var made = 0
        func send() {
            broadcaster.send(
                contentsOf: [1].lazy.map { number in
                    made += 1
                    return number
                }
            )
        }
        send()
        #expect(made == 0)
        do {
            var events = broadcaster.stream().makeAsyncIterator()
            send()
            #expect(made == 1)
            #expect(await events.next() == 1)
        }
        send()
        #expect(made == 1, "its listener has gone")
        let stream = broadcaster.stream()
        broadcaster.finish()
        send()
        #expect(made == 1)
        for await _ in stream {}
    }

    @Test("signals of changes are merged, reach their namespace alone, and know who listens")
    func signals() async throws {
        let signals = ChangeSignals()
        let (here, there) = (SecretNamespace.library("here"), SecretNamespace.library("there"))
        let count = Mutex(0)
        do {
            let stream = signals.stream(in: here)
            let other = signals.stream(in: there, whenEnded: { count.withLock { $0 += 1 } })
            #expect(signals.observed == [here, there] && signals.isHeard)
            signals.send([here])
            signals.send([here, .library("elsewhere")])
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            signals.send([there])
            signals.finish()
            #expect(await iterator.next() == nil)
            #expect(await other.reduce(0) { sum, _ in sum + 1 } == 1)
            #expect(await signals.stream(in: here).reduce(0) { sum, _ in sum + 1 } == 0)
        }
        #expect(count.withLock { $0 } == 0)
        let again = ChangeSignals()
        do { _ = again.stream(in: here, whenEnded: { count.withLock { $0 += 1 } }) }
        try await BoundedWait.until("the end") { again.observed.isEmpty && count.withLock { $0 } == 1 }
        #expect(!again.isHeard)
    }

    @Test("a change of an item reaches its listeners and its namespace's; one of a namespace, all in it")
    func items() async throws {
        let here = SecretNamespace.library("here")
        let (one, two) = (try SecretName("one", in: here), try SecretName("two", in: here))
        let elsewhere = try SecretName("one", in: .library("elsewhere"))
        func heard(_ send: (ChangeSignals) -> Void) async -> [Int] {
            let signals = ChangeSignals()
            let streams = [
                signals.stream(of: one), signals.stream(of: two), signals.stream(in: here),
                signals.stream(of: elsewhere),
            ]
            #expect(signals.observed == [here, elsewhere.namespace])
            send(signals)
            signals.finish()
            var counts: [Int] = []
            for stream in streams { counts.append(await stream.reduce(0) { sum, _ in sum + 1 }) }
            return counts
        }
        #expect(await heard { $0.send([one]) } == [1, 0, 1, 0])
        #expect(await heard { $0.send([one, elsewhere]) } == [1, 0, 1, 1])
        #expect(await heard { $0.send([here]) } == [1, 1, 1, 0])
    }
}

@Suite("SerialTurn", .timeLimit(.minutes(2)))
struct SerialTurnTests {
    /// What the tasks of a test did.
    private final class Visits: Sendable {
        private let state = Mutex((announced: 0, isInside: false, came: [Int]()))

        var announced: Int { state.withLock { $0.announced } }
        var came: [Int] { state.withLock { $0.came } }

        func announce() { state.withLock { $0.announced += 1 } }

        /// - Returns: whether no other task is inside.
        func enter(_ number: Int) -> Bool {
            state.withLock { state in
                defer { state.isInside = true }
                state.came.append(number)
                return !state.isInside
            }
        }

        func leave() { state.withLock { $0.isInside = false } }
    }

    @Test("one task at a time has the turn, cancelled ones too, and none is forgotten")
    func oneAtATime() async throws {
        let (turn, visits) = (SerialTurn(), Visits())
        await turn.begin()
        var tasks: [Task<Bool, Never>] = []
        for number in 0..<20 {
            tasks.append(
                Task {
                    visits.announce()
                    await turn.begin()
                    let isAlone = visits.enter(number)
                    await Task.yield()
                    visits.leave()
                    turn.end()
                    return isAlone
                }
            )
            if number.isMultiple(of: 3) { tasks[number].cancel() }
        }
        try await BoundedWait.until("the tasks") { visits.announced == 20 }
        #expect(visits.came.isEmpty)
        turn.end()
        for task in tasks { #expect(await task.value) }
        #expect(visits.came.sorted() == Array(0..<20))
        // Free again.
        await turn.begin()
        turn.end()
    }

    @Test("the task that came first has the turn first")
    func inOrder() async {
        let (turn, visits, executor) = (SerialTurn(), Visits(), ManualExecutor())
        await turn.begin()
        var tasks: [Task<Void, Never>] = []
        for number in 0..<5 {
            tasks.append(
                Task(executorPreference: executor) {
                    await turn.begin()
                    _ = visits.enter(number)
                    turn.end()
                }
            )
            // It waits for the turn when the executor has nothing left to do.
            executor.runUntilIdle()
        }
        turn.end()
        executor.runUntilIdle()
        #expect(visits.came == [0, 1, 2, 3, 4])
        for task in tasks { await task.value }
    }
}

@Suite("WritePrecondition")
struct WritePreconditionTests {
    @Test("a precondition holds for the version it names, or for nothing")
    func holds() {
        let (one, two) = (SecretVersion(1), SecretVersion(2))
        #expect(WritePrecondition.none.holds(for: nil) && WritePrecondition.none.holds(for: one))
        #expect(WritePrecondition.absent.holds(for: nil) && !WritePrecondition.absent.holds(for: one))
        #expect(WritePrecondition.version(one).holds(for: one))
        #expect(!WritePrecondition.version(one).holds(for: two))
        #expect(!WritePrecondition.version(one).holds(for: nil))
    }
}
