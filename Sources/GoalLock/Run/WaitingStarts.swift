internal import PortcullisCore
internal import Synchronization

/// The starts of shut apps that wait to be handled. For each app, at most one denied start and one other
/// start wait. So thousands of starts a second do not use up the memory.
package final class WaitingStarts: Sendable {
    private struct Start: Hashable {
        var app: AppToken
        var isDenied: Bool
    }

    private let starts = Mutex<Set<Start>>([])

    package init() {}

    /// Adds a start to the waiting starts. Other events are not stored.
    ///
    /// - Returns: whether the event has to be handled: `false` if an equal start waits already.
    package func note(_ event: GoalRun.Event) -> Bool {
        guard case .started(let app, let isDenied) = event else { return true }
        return starts.withLock { $0.insert(Start(app: app, isDenied: isDenied)).inserted }
    }

    /// Removes a start from the waiting starts, right before the start is handled.
    package func forget(_ event: GoalRun.Event) {
        guard case .started(let app, let isDenied) = event else { return }
        _ = starts.withLock { $0.remove(Start(app: app, isDenied: isDenied)) }
    }
}
