internal import Synchronization

/// The number of live servers of a fleet, this server included; 1 without a fleet.
///
/// A server whose clock is not to be trusted, or that drains, still counts. The limits are then lower than
/// necessary.
package final class FleetSize: Sendable {
    private let servers = Atomic(1)

    /// One server.
    package init() {}

    /// The number of servers, at least one.
    package var count: Int { servers.load(ordering: .relaxed) }

    /// Notes the number of servers.
    package func set(_ count: Int) { servers.store(max(count, 1), ordering: .relaxed) }
}
