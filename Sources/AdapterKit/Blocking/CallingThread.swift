internal import Synchronization

/// Runs the task of a program's command on the thread that calls ``run(_:)``. That thread waits for the task.
///
/// A short command of a terminal program can do all of its non-blocking work on this thread. Such a command
/// need not start Swift's shared pool. Starting the pool would take longer than reading a secret, because
/// Dispatch would have to set up the pool and start two threads.
///
/// The parts of the task and of its child tasks run one after the other. If the thread is the main thread,
/// the main actor runs nothing meanwhile.
package final class CallingThread: TaskExecutor {
    private let jobs = JobLoop()

    private init() {}

    /// Runs work on the calling thread, and returns when the work has ended.
    ///
    /// A task must not call this method, because the method blocks its thread.
    ///
    /// - Parameter work: is called once.
    /// - Throws: the error of the work.
    package static func run<E: Error>(_ work: sending @escaping () async throws(E) -> Void) throws(E) {
        let thread = CallingThread()
        let ending = Ending<E>()
        // The last part of the task calls `end`. `jobs.run` finishes this part before it returns, so the task
        // has ended by then. Until it ends, the task retains the executor.
        Task(executorPreference: thread) {
            let result: Result<Void, E>
            do throws(E) { result = .success(try await work()) } catch { result = .failure(error) }
            ending.result.withLock { $0 = result }
            thread.jobs.end()
        }
        thread.jobs.run()
        try ending.result.withLock(\.self)?.get()
    }

    /// Adds a part of a task, which runs after the parts that were added before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private final class Ending<E: Error>: Sendable {
        let result = Mutex<Result<Void, E>?>(nil)
    }
}
