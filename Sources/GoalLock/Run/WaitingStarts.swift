internal import PortcullisCore
internal import Synchronization

/// The starts that wait to be handled, at most one of each kind for each app. A person may start a shut app
/// thousands of times a second, which must not use up the memory.
package final class WaitingStarts: Sendable {
    private struct Start: Hashable {
        var app: AppToken
        var isDenied: Bool
    }

    private let starts = Mutex<Set<Start>>([])

    package init() {}

    /// Notes an event that is to be handled.
    ///
    /// - Returns: `false` if the same start waits already.
    package func note(_ event: GoalRun.Event) -> Bool {
        guard case .started(let app, let isDenied) = event else { return true }
        return starts.withLock { $0.insert(Start(app: app, isDenied: isDenied)).inserted }
    }

    /// Forgets an event that is being handled.
    package func forget(_ event: GoalRun.Event) {
        guard case .started(let app, let isDenied) = event else { return }
        _ = starts.withLock { $0.remove(Start(app: app, isDenied: isDenied)) }
    }
}
