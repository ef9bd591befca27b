package import PortcullisCore

/// Runs the actors and tasks that use this executor, on a thread of the executor's own. The thread starts
/// when the executor is made.
///
/// The executor is meant for work that must continue when no new thread can be started. Dispatch is not
/// suitable for such work: if the user's limit of processes is reached, the call that adds a job waits for a
/// new thread, and so blocks its caller.
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
