internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Passes lines to a sink that may block. The sink is called on a separate thread, and a limited number of
/// lines can wait for it.
final class BacklogWriter: Sendable {
    private struct State {
        /// The number of lines that were accepted and are not written yet.
        var backlog = 0
        var lastID: UInt64 = 0
        var flushes: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let capacity: Int
    private let sink: @Sendable ([UInt8]) -> Void
    private let thread = WorkerThread()
    private let state = Mutex(State())

    init(capacity: Int, sink: @escaping @Sendable ([UInt8]) -> Void) {
        self.capacity = capacity
        self.sink = sink
    }

    /// Adds a line to the backlog if the backlog is not full. Returns whether the line was added.
    func append(_ line: [UInt8]) -> Bool {
        let isTaken = state.withLock { state in
            guard state.backlog < capacity else { return false }
            state.backlog += 1
            return true
        }
        guard isTaken else { return false }
        thread.enqueue { [self] in
            blockSignals()
            sink(line)
            lineIsOut()
        }
        return true
    }

    private func lineIsOut() {
        let flushes = state.withLock { state in
            state.backlog -= 1
            guard state.backlog == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.flushes = [:] }
            return Array(state.flushes.values)
        }
        for flush in flushes { flush.resume() }
    }

    /// Waits until the backlog is empty or the task is cancelled.
    func flush() async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.backlog == 0 || Task.isCancelled { return true }
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
}

/// Blocks all signals on the current thread. If the stream's reader has closed its end, `write` then fails
/// with `EPIPE`, and `SIGPIPE` does not end the process.
private func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
}
