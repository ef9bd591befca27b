internal import Synchronization

/// How many servers of a fleet are live, this one included. Alone it is one.
///
/// A server whose clock is not to be trusted, or that drains, still counts: limits are then narrower than they could be.
package final class FleetSize: Sendable {
    private let servers = Atomic(1)

    /// One server.
    package init() {}

    /// The number of servers, at least one.
    package var count: Int { servers.load(ordering: .relaxed) }

    /// Notes how many there are.
    package func set(_ count: Int) { servers.store(max(count, 1), ordering: .relaxed) }
}
