internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Hands lines to a sink that may block, from a thread of its own, through a bounded backlog.
///
/// The thread lives as long as there are lines: notifications are rare, and a thread that waits for the next one
/// would need more machinery than one that is started anew.
final class BacklogWriter: Sendable {
    private struct State {
        var lines: [[UInt8]] = []
        var isWriting = false
        var lastID: UInt64 = 0
        var flushes: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let capacity: Int
    private let sink: @Sendable ([UInt8]) -> Void
    private let state = Mutex(State())

    init(capacity: Int, sink: @escaping @Sendable ([UInt8]) -> Void) {
        self.capacity = capacity
        self.sink = sink
    }

    /// Takes a line, unless the backlog is full.
    func append(_ line: [UInt8]) -> Bool {
        let (isTaken, mustStart) = state.withLock { state in
            guard state.lines.count < capacity else { return (false, false) }
            state.lines.append(line)
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if mustStart, !startThread({ [self] in run() }) {
            // Without a thread nobody would ever take the line; the caller learns it.
            state.withLock { state in
                state.isWriting = false
                state.lines = []
            }
            return false
        }
        return isTaken
    }

    /// Waits until the backlog is empty and the last line is out, or the task is cancelled.
    func flush() async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isWriting || Task.isCancelled { return true }
                    state.flushes[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let flush = state.withLock { $0.flushes.removeValue(forKey: id) }
            flush?.resume()
        }
    }

    private func run() {
        while true {
            let (line, flushes) = state.withLock {
                state -> ([UInt8]?, [CheckedContinuation<Void, Never>]) in
                if !state.lines.isEmpty { return (state.lines.removeFirst(), []) }
                state.isWriting = false
                defer { state.flushes = [:] }
                return (nil, Array(state.flushes.values))
            }
            for flush in flushes { flush.resume() }
            guard let line else { return }
            sink(line)
        }
    }
}

/// Runs work on a new thread that takes no signals, so that a closed pipe is an error of `write` and no more.
private func startThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let context = unsafe Unmanaged.passRetained(Work(work))
    #if canImport(Darwin)
    var thread: pthread_t?
    let result = unsafe pthread_create(
        &thread,
        nil,
        { context in
            blockSignals()
            unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
            return nil
        },
        context.toOpaque()
    )
    if let thread = unsafe thread { unsafe pthread_detach(thread) }
    #else
    var thread = pthread_t()
    let result = unsafe pthread_create(
        &thread,
        nil,
        { context in
            blockSignals()
            guard let context = unsafe context else { return nil }
            unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
            return nil
        },
        context.toOpaque()
    )
    if result == 0 { pthread_detach(thread) }
    #endif
    if result != 0 { unsafe context.release() }
    return result == 0
}

private func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
}
