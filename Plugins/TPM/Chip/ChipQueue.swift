internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// The thread on which one object makes all its calls to a chip. The wait for the chip has a time limit. If
/// another program holds the chip for longer, or the chip hangs, the caller gets an error that says that the
/// chip is busy.
final class ChipQueue: Sendable {
    private let thread = WorkerThread()
    private let patience: Duration

    /// Makes a queue with a thread of its own.
    ///
    /// - Parameter patience: the longest time that a caller waits for the chip. After that time a job that
    ///   has not begun is dropped, and a job that has begun is carried out to its end.
    init(patience: Duration = .seconds(30)) { self.patience = patience }

    /// Runs a job that uses the chip. A job that is dropped is released at once, with all that it holds.
    ///
    /// - Parameter busy: the error to throw if the job takes longer than the time limit.
    func ask<Value: Sendable, E: Error>(
        orThrow busy: E,
        _ job: @escaping @Sendable () throws(E) -> Value
    ) async throws(E) -> Value {
        let patience = patience
        let pending = PendingJob(job)
        let result: Result<Value, E> = await withCheckedContinuation { continuation in
            let first = FirstAnswer(continuation)
            let limit = Task {
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                _ = pending.take()
                first.give(.failure(busy))
            }
            thread.enqueue {
                guard let job = pending.take() else { return }
                let result = job()
                limit.cancel()
                first.give(result)
            }
        }
        return try result.get()
    }

    /// Runs a job that uses the chip. The calling thread waits for the result, at most for the time limit.
    ///
    /// - Parameter toItsEnd: whether the call waits without a limit for a job that has begun within the time
    ///   limit. If `true`, the job never changes the chip after the call has returned.
    /// - Throws: the job's own error; `unreachable` if no file descriptor is free; `busy` after the time
    ///   limit.
    func hold<Value: Sendable>(
        toItsEnd: Bool = false,
        for job: @escaping @Sendable () throws(ChipFailure) -> Value
    ) throws(ChipFailure) -> Value {
        let wake: Wake
        do throws(SystemCallError) { wake = try Wake() } catch {
            throw ChipFailure(kind: .unreachable(errno: error.errno))
        }
        let (pending, answer) = (PendingJob(job), LaterAnswer<Value>())
        thread.enqueue {
            guard let job = pending.take() else { return }
            let result = job()
            answer.result.withLock { $0 = result }
            wake.raise()
        }
        var isReady = DescriptorWait.isReady(wake.descriptor, atMost: patience)
        if !isReady, pending.take() == nil, toItsEnd { isReady = DescriptorWait.isReady(wake.descriptor) }
        guard isReady, let result = answer.result.withLock(\.self) else { throw ChipFailure(kind: .busy) }
        return try result.get()
    }
}

/// A job that has not begun yet. Either the thread takes it and runs it, or the caller takes it and drops it.
private final class PendingJob<Value: Sendable, E: Error>: Sendable {
    private let job: Mutex<(@Sendable () -> Result<Value, E>)?>

    init(_ job: @escaping @Sendable () throws(E) -> Value) {
        self.job = Mutex({ Result { () throws(E) in try job() } })
    }

    /// Takes the job; `nil` if it was taken before.
    func take() -> (@Sendable () -> Result<Value, E>)? {
        job.withLock { job in
            defer { job = nil }
            return job
        }
    }
}

/// Holds the result of a job until the thread that waits for the job reads it.
private final class LaterAnswer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, ChipFailure>?>(nil)
}

/// Resumes a continuation with the first of several results, and ignores the others.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    func give(_ value: Value) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: value)
    }
}
