import PortcullisCore
import Synchronization

extension FaultyStore {
    func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        if fault == .readsInSteps {
            var found: [StoredSecret?] = []
            for name in names {
                found.append(try await read(name))
                await leaveGap()
            }
            return found
        }
        let (found, damaged) = place.state.withLock { state in
            (names.map { state.items[key($0)]?.stored }, names.filter { state.damaged.contains($0) })
        }
        if let first = damaged.first, fault != .leavesDamageOut { throw damage(of: first) }
        return try check(fault == .readsInOtherOrder ? found.reversed() : found)
    }

    private func check(_ found: [StoredSecret?]) throws(SecretStoreError) -> [StoredSecret?] {
        var checked: [StoredSecret?] = []
        for stored in found {
            let isOutOfReach =
                stored?.accessibility.availability == .whenUnlocked && isLocked.withLock { $0 }
            if isOutOfReach, fault != .leavesLockedOut {
                throw SecretStoreError(code: .classLocked, message: "locked")
            }
            checked.append(isOutOfReach ? nil : stored)
        }
        return checked
    }
}
