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
    /// - Parameter patience: the longest time that a caller waits for the chip. After that time a job that has
    ///   not begun is dropped, and a job that has begun is carried out to its end.
    init(patience: Duration = .seconds(30)) { self.patience = patience }

    /// Runs a job that takes long and does not need the chip.
    func run<Value: Sendable, E: Error>(_ job: @escaping @Sendable () throws(E) -> Value) async throws(E)
        -> Value
    {
        try await thread.run(job)
    }

    /// Runs a job that uses the chip.
    ///
    /// - Parameter busy: the error to throw if the job takes longer than the time limit.
    func ask<Value: Sendable, E: Error>(
        orThrow busy: E,
        _ job: @escaping @Sendable () throws(E) -> Value
    ) async throws(E) -> Value {
        let patience = patience
        let result: Result<Value, E> = await withCheckedContinuation { continuation in
            let first = FirstAnswer(continuation)
            let limit = Task {
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                first.give(.failure(busy))
            }
            thread.enqueue {
                guard first.isAwaited else { return }
                let result = Result { () throws(E) in try job() }
                limit.cancel()
                first.give(result)
            }
        }
        return try result.get()
    }

    /// Runs a job that uses the chip. The calling thread waits for the result, at most for the time limit.
    ///
    /// - Throws: the job's own error; `unreachable` if no file descriptor is free; `busy` after the time
    ///   limit.
    func hold<Value: Sendable>(
        for job: @escaping @Sendable () throws(ChipFailure) -> Value
    ) throws(ChipFailure) -> Value {
        let wake: Wake
        do throws(SystemCallError) { wake = try Wake() } catch {
            throw ChipFailure(kind: .unreachable(errno: error.errno))
        }
        let answer = LaterAnswer<Value>()
        thread.enqueue {
            guard answer.isAwaited.withLock(\.self) else { return }
            let result = Result { () throws(ChipFailure) in try job() }
            answer.result.withLock { $0 = result }
            wake.raise()
        }
        guard DescriptorWait.isReady(wake.descriptor, atMost: patience),
            let result = answer.result.withLock(\.self)
        else {
            answer.isAwaited.withLock { $0 = false }
            throw ChipFailure(kind: .busy)
        }
        return try result.get()
    }
}

/// Holds the result of a job until the thread that waits for the job reads it.
private final class LaterAnswer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, ChipFailure>?>(nil)
    /// Whether a thread still waits for the result.
    let isAwaited = Mutex(true)
}

/// Resumes a continuation with the first of several results, and ignores the others.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = Mutex(continuation) }

    /// Whether no result was given yet.
    var isAwaited: Bool { continuation.withLock { $0 != nil } }

    func give(_ value: Value) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: value)
    }
}
