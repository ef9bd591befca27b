package import PortcullisCore

/// Runs the actors and tasks that name this executor, on one thread of its own. The thread starts with the executor.
///
/// It serves work that must go on when no new thread can be started. At the limit of a user's processes
/// Dispatch waits for a thread within the call that hands over the work, and blocks the caller.
package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let thread = WorkerThread()

    /// Starts the thread.
    ///
    /// - Throws: `ThreadRefusal` when the system has no thread left.
    package init() throws(ThreadRefusal) { try thread.start() }

    /// Runs a part of a task on the thread, after the parts that were added before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure retains the executor, because the actor may be deallocated before the job runs.
        thread.enqueue { [self] in
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
    }
}
