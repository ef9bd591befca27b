internal import PasscodeLock
internal import PortcullisCore

/// Whether a person is at the desk.
extension Desk {
    /// Handles that the terminal's window came to the front or went out of sight.
    func phaseChanged(to phase: AppPhase) async {
        let wasAway = isAway
        isAway = phase != .active
        await lock?.phaseChanged(to: phase)
        // The check has a task of its own, so that the display does not wait for the network.
        if wasAway, !isAway { Task { await lookAtSession() } }
    }

    /// Handles an absence that has ended without a report of its beginning, such as a sleep of the machine.
    func wasAway(since moment: Moment) async {
        let isStillAway = isAway
        // The absence counts from the first report of it.
        await lock?.session.leftAtOnce(since: moment)
        await phaseChanged(to: .background)
        if !isStillAway { await phaseChanged(to: .active) }
    }

    /// Handles that a key was pressed.
    func personWasActive() async { await lock?.session.personWasActive() }
}
