package import PortcullisCore

/// Runs actors, and the tasks that prefer it, on one thread of its own, which is there from the start.
///
/// For what has to go on where Swift's pool does not: at the limit of a user's processes Dispatch waits for a thread in
/// the call that hands it work, and holds the caller up.
package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let thread = WorkerThread()

    /// Starts the thread.
    ///
    /// - Throws: where the system has no thread left.
    package init() throws(ThreadRefusal) { try thread.start() }

    /// Runs a part of a task on the thread, after those that came before.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // With a reference to the executor: the actor that it runs on may go meanwhile.
        thread.enqueue { [self] in
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
    }
}
