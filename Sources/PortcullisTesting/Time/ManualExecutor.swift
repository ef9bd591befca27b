internal import Synchronization

/// An executor that runs tasks only during calls of ``runUntilIdle()``.
///
/// Tasks that prefer this executor run on the caller's thread, one job after the other, in the order in which
/// the jobs became ready. A ``ManualClock`` with this executor is deterministic: time moves on only when none
/// of these tasks can do anything more.
///
/// ```swift
/// let executor = ManualExecutor()
/// let clock = ManualClock(executor: executor)
/// let ringing = Task(executorPreference: executor) { try await clock.sleep(until: .wall(.seconds(30))) }
/// await clock.advance(by: .seconds(60))
/// ```
///
/// - Child tasks inherit the preference. A `Task { … }` that one of the tasks creates does not inherit it
///   and has to name the executor itself. The executor does not wait for code on an actor with its own
///   executor, such as the main actor.
/// - A task that never suspends, or that yields in a loop, keeps ``runUntilIdle()`` from returning.
/// - If the executor is dropped, its ready tasks never run.
public final class ManualExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var hasRunJobs = false
        /// The index of the next job. Removing each job from the array's start would be slow for a long
        /// queue.
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

    /// Makes an executor without jobs.
    public init() {}

    /// Whether the executor has run at least one job so far.
    var hasRunJobs: Bool { queue.withLock { $0.hasRunJobs } }

    /// Queues a job. Swift's runtime calls this method.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.append(job) }
    }

    /// Runs all ready jobs, including jobs that become ready meanwhile, until no job is ready.
    ///
    /// Call this method from one task at a time, because two callers would run jobs in parallel and in no
    /// certain order. A job may call this method; the ready jobs then run inside that job.
    public func runUntilIdle() {
        let executor = unsafe asUnownedTaskExecutor()
        while let job = queue.withLock({ $0.popFirst() }) {
            unsafe job.runSynchronously(on: executor)
        }
    }
}
