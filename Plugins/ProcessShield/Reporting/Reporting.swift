#if os(Linux)
internal import AdapterKit
public import PortcullisCore

// Queries that change nothing.
extension ProcessShield {
    /// Returns the state of the shields. Any process may call this method, because it only reads: it changes
    /// no shield, no process and no record.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable``.
    public func report() async throws(ShieldError) -> ShieldReport {
        let record = try await records.read()
        let resolved = await resolve(record.union)
        let (stopper, guards, own, configuration) = (stopper, guards, own, configuration)
        return await thread.run { () throws(Never) in
            let keepers = record.keepers.filter { stopper.table.isAlive($0.identity) }
            // If this process looks after the shields and has a gate, the gate shows for each program whether
            // its start is denied. If another process looks after the shields, the record shows only whether
            // that process denies starts.
            let gate = guards?.denies == true && keepers.contains { $0.identity == own } ? guards : nil
            let denies =
                keepers.contains(where: \.denies)
                || keepers.isEmpty && configuration.usesGate && StartGate.isAllowed
            let (frozen, signalled) = stopper.count(record.stopped)
            let coverage = resolved.coverage(of: record.shields) { program in
                let isGated = gate.map { $0.isGated(program) } ?? (denies && program.canBeGated)
                if program.policy == .leave, !isGated { return ResolvedSelection.notHeld }
                return isGated ? .gated : .reactive
            }
            return ShieldReport(
                coverage: coverage,
                isAttended: !keepers.isEmpty,
                frozen: frozen,
                signalled: signalled,
                stoppedElsewhere: record.stoppedElsewhere
            )
        }
    }

    /// Returns whether an app's token can be shielded on this machine. The method is meant for a check before
    /// a shield is put up.
    public func standing(of app: AppToken) async -> ShieldTokenStanding {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.standing(of: app) }
    }

    /// Returns whether a category can be shielded on this machine.
    public func standing(of category: CategoryToken) async -> ShieldTokenStanding {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.standing(of: category) }
    }
}
#endif
