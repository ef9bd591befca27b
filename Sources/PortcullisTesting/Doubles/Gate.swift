internal import Synchronization

/// A gate that a test can close. While it is closed, the calls of a test double wait at a known point.
public final class Gate: Sendable {
    private struct State {
        var isClosed = false
        var lastID: UInt64 = 0
        var held: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var observers: [UInt64: (count: Int, continuation: CheckedContinuation<Bool, Never>)] = [:]

        mutating func newID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    private let state = Mutex(State())

    /// Makes an open gate.
    public init() {}

    /// Closes the gate. Tasks that arrive from now on wait at the gate.
    public func close() { state.withLock { $0.isClosed = true } }

    /// Opens the gate. The waiting tasks continue, and later tasks pass without a wait.
    public func open() {
        let held = state.withLock { state in
            state.isClosed = false
            defer { state.held = [:] }
            return state.held
        }
        for (_, continuation) in held.sorted(by: { $0.key < $1.key }) { continuation.resume(returning: true) }
    }

    /// Whether the gate is closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of tasks that wait at the gate.
    public var heldCount: Int { state.withLock { $0.held.count } }

    /// Waits until at least this many tasks wait at the gate. Returns early when the caller's task is
    /// cancelled.
    public func waitForHeld(_ count: Int) async {
        let id = state.withLock { $0.newID() }
        _ = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.held.count >= count { return true }
                    state.observers[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume(returning: true) }
            }
        } onCancel: {
            let observer = state.withLock { $0.observers.removeValue(forKey: id) }
            observer?.continuation.resume(returning: false)
        }
    }

    /// Waits while the gate is closed.
    ///
    /// - Returns: `false` when the task was cancelled while the gate was closed.
    public func pass() async -> Bool {
        let id = state.withLock { $0.newID() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, satisfied) = state.withLock {
                    state -> (Bool?, [CheckedContinuation<Bool, Never>]) in
                    guard state.isClosed else { return (true, []) }
                    if Task.isCancelled { return (false, []) }
                    state.held[id] = continuation
                    let satisfied = state.observers.filter { $0.value.count <= state.held.count }
                    for id in satisfied.keys { state.observers[id] = nil }
                    return (nil, satisfied.values.map(\.continuation))
                }
                if let answer { continuation.resume(returning: answer) }
                for observer in satisfied { observer.resume(returning: true) }
            }
        } onCancel: {
            let held = state.withLock { $0.held.removeValue(forKey: id) }
            held?.resume(returning: false)
        }
    }
}
