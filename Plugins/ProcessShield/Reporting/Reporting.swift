#if os(Linux)
internal import AdapterKit
public import PortcullisCore

// Looks that change nothing.
extension ProcessShield {
    /// How things stand. Nothing is stopped, let go on, gated, watched or written for it, so that any process may ask.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable``.
    public func report() async throws(ShieldError) -> ShieldReport {
        let record = try await records.read()
        let resolved = await resolve(record.union)
        let (stopper, guards, own, configuration) = (stopper, guards, own, configuration)
        return await thread.run { () throws(Never) in
            let keepers = record.keepers.filter { stopper.table.isAlive($0.identity) }
            // The process that has the gate knows each file; of others it is known that they have one.
            let gate = guards?.denies == true && keepers.contains { $0.identity == own } ? guards : nil
            let denies =
                keepers.contains(where: \.denies)
                || keepers.isEmpty && configuration.usesGate && StartGate.isAllowed
            let (frozen, signalled) = stopper.count(record.stopped)
            let coverage = resolved.coverage(of: record.applied) { program in
                let isGated = gate.map { $0.isGated(program) } ?? (denies && program.canBeGated)
                if program.policy == .leave, !isGated { return ResolvedSelection.notHeld }
                return isGated ? .gated : .reactive
            }
            return ShieldReport(
                coverage: coverage,
                isAttended: !keepers.isEmpty,
                frozen: frozen,
                signalled: signalled
            )
        }
    }

    /// What a token names here, to be asked before a shield is put up.
    public func standing(of app: AppToken) async -> ShieldTokenStanding {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.standing(of: app) }
    }

    /// What a category names here.
    public func standing(of category: CategoryToken) async -> ShieldTokenStanding {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.standing(of: category) }
    }
}
#endif
