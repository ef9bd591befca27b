internal import Synchronization

/// Runs tasks only when it is told to, one job after the other, in the order in which they became ready.
///
/// Tasks that prefer it do nothing by themselves, and everything they can do when ``runUntilIdle()`` is called, on
/// the thread of the caller. Given to a ``ManualClock``, it makes the clock deterministic: time moves on only when
/// none of these tasks has anything left to do.
///
/// ```swift
/// let executor = ManualExecutor()
/// let clock = ManualClock(executor: executor)
/// let ringing = Task(executorPreference: executor) { try await clock.sleep(until: .wall(.seconds(30))) }
/// await clock.advance(by: .seconds(60))
/// ```
///
/// - Child tasks inherit the preference; a `Task { … }` that one of the tasks makes does not, it has to name the
///   executor itself. What runs on an actor with an executor of its own, the main actor among them, is not
///   waited for.
/// - A task that never suspends, or that yields in a loop, keeps ``runUntilIdle()`` from returning.
/// - Tasks that are still ready when the executor is dropped never run.
public final class ManualExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var hasRunJobs = false
        /// Those before it have run; moving the rest up for each would make a long queue slow.
        var head = 0

        mutating func append(_ job: UnownedJob) {
            if head > 1_024, head * 2 > jobs.count {
                jobs.removeFirst(head)
                head = 0
            }
            jobs.append(job)
        }

        mutating func popFirst() -> UnownedJob? {
            guard head < jobs.count else { return nil }
            let job = jobs[head]
            hasRunJobs = true
            head += 1
            if head == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                head = 0
            }
            return job
        }
    }

    private let queue = Mutex(Queue())

    /// An executor with nothing to do.
    public init() {}

    /// Whether any task preferred it yet.
    var hasRunJobs: Bool { queue.withLock { $0.hasRunJobs } }

    /// Keeps a job until it is told to run; called by the language.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.append(job) }
    }

    /// Runs whatever is ready, and whatever becomes ready by that, until nothing is.
    ///
    /// Call it from one task at a time: two callers would run jobs side by side, in no certain order. A job may
    /// call it; what is ready then runs inside that job.
    public func runUntilIdle() {
        let executor = unsafe asUnownedTaskExecutor()
        while let job = queue.withLock({ $0.popFirst() }) {
            unsafe job.runSynchronously(on: executor)
        }
    }
}
