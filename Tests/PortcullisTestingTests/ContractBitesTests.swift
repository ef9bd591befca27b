import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("The SecretStore contract bites (X-3)", .timeLimit(.minutes(5)))
struct ContractBitesTests {
    private func subject(_ fault: Fault, unsupported: Set<SecretStoreContract> = []) -> SecretStoreSubject {
        let outside = FaultyStore.Outside()
        return SecretStoreSubject(
            unsupported: unsupported,
            lock: { ($0 as? FaultyStore)?.lock() },
            unlock: { ($0 as? FaultyStore)?.unlock() },
            patience: .milliseconds(fault == .none ? 60_000 : 200),
            places: {
                let place = FaultyStore.Place(outside)
                return SecretStoreSubject.Place(
                    damage: { name in place.state.withLock { _ = $0.damaged.insert(name) } },
                    hold: {
                        place.gate.close()
                        return { place.gate.open() }
                    },
                    open: { FaultyStore(place, fault) }
                )
            }
        )
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: Fault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: Fault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
    }

    @Test(
        "X-3: among many tasks and in another opening the version that a conflict names is looked at too",
        arguments: [SecretStoreContract.concurrentCreations, .openingsShare]
    )
    func conflicts(_ clause: SecretStoreContract) async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(.hidesCurrent))
        }
        #expect(violation?.clause == clause.id)
    }

    @Test("X-3: a store that lets no compare-and-set through ends its clause, each task after 5,000 attempts")
    func neverSwaps() async throws {
        let store = NeverSwapping()
        let violation = await #expect(throws: ContractViolation.self) {
            try await SecretStoreContract.concurrentIncrements.check(SecretStoreSubject(fresh: { store }))
        }
        #expect(violation?.finding == "a compare-and-set with the version just read never succeeded")
        #expect(store.attempts.withLock { $0 } == 8 * 5_000)
    }

    @Test("X-3: the faulty store without a fault keeps every clause", arguments: SecretStoreContract.allCases)
    func barksAtNobody(_ clause: SecretStoreContract) async throws {
        try await clause.check(subject(.none))
    }

    @Test("X-3: every clause has a fault that it catches")
    func everyClauseIsProved() {
        let proved = Set(Fault.allCases.compactMap(\.clause))
        let unproved = Set(SecretStoreContract.allCases).subtracting(proved)
        #expect(unproved.isEmpty)
    }

    @Test("X-3: only a clause that may be is declared unsupported; ids are unique and lasting")
    func unsupported() async throws {
        let allowed = try await SecretStoreContract.namesByteForByte.check(
            subject(.normalises, unsupported: [.namesByteForByte])
        )
        #expect(allowed == .notApplicable("declared unsupported"))
        await #expect(throws: ContractViolation.self) {
            try await SecretStoreContract.noTornReads.check(subject(.none, unsupported: [.noTornReads]))
        }
        #expect(SecretStoreContract.allCases.map(\.id) == (1...37).map { $0 < 10 ? "SS-0\($0)" : "SS-\($0)" })
    }

    @Test(
        "X-3: what a store claims and its subject cannot try is a violation, unless it is declared unsupported"
    )
    func claims() async throws {
        let claimed: Set<SecretStoreContract> = [
            .openingsShare, .survivesReopening, .signalsOtherOpenings, .damageIsAnError, .waitsOffThePool,
        ]
        for clause in SecretStoreContract.allCases {
            let once = SecretStoreSubject(fresh: { FaultyStore(FaultyStore.Place(), .none) })
            if claimed.contains(clause) {
                let violation = await #expect(throws: ContractViolation.self) { try await clause.check(once) }
                #expect(violation?.clause == clause.id)
            } else {
                try await clause.check(once)
            }
        }
        let declared = SecretStoreSubject(
            unsupported: [.damageIsAnError, .waitsOffThePool],
            reopening: {
                let place = FaultyStore.Place()
                return { FaultyStore(place, .none) }
            }
        )
        for clause in claimed where clause.mayBeUnsupported {
            #expect(try await clause.check(declared) == .notApplicable("declared unsupported"))
        }
    }

    @Test("X-3: a hook that holds up nothing, and a place that is not empty, are found")
    func subjects() async {
        let idle = SecretStoreSubject(
            places: {
                let place = FaultyStore.Place()
                return SecretStoreSubject.Place(hold: { {} }, open: { FaultyStore(place, .none) })
            }
        )
        await #expect(throws: ContractViolation.self) {
            try await SecretStoreContract.waitsOffThePool.check(idle)
        }
        let place = FaultyStore.Place()
        let same = SecretStoreSubject(reopening: { { FaultyStore(place, .none) } })
        await #expect(throws: ContractViolation.self) {
            try await SecretStoreContract.longestNames.check(same)
            try await SecretStoreContract.longestNames.check(same)
            try await SecretStoreContract.placesApart.check(same)
        }
    }

    @Test("X-3: what holds a store up is let go once for each kind of call")
    func letsGoOnce() async throws {
        let releases = Mutex(0)
        let subject = SecretStoreSubject(
            places: {
                let place = FaultyStore.Place()
                return SecretStoreSubject.Place(
                    hold: {
                        place.gate.close()
                        return {
                            releases.withLock { $0 += 1 }
                            place.gate.open()
                        }
                    },
                    open: { FaultyStore(place, .none) }
                )
            }
        )
        #expect(try await SecretStoreContract.waitsOffThePool.check(subject) == .kept)
        // Real time: that nothing more comes is the point.
        try await Task.sleep(for: .milliseconds(50))
        #expect(releases.withLock { $0 } == 4)
    }

    @Test("X-3: a store that throws violates the clause, by name")
    func throwing() async {
        let subject = SecretStoreSubject(fresh: { Unavailable() })
        let violation = await #expect(throws: ContractViolation.self) {
            try await SecretStoreContract.absentItem.check(subject)
        }
        #expect(violation?.description.contains("SS-01") == true)
        #expect(violation?.finding.contains("unavailable") == true)
    }
}

/// A store in which no compare-and-set succeeds, and how often one was tried.
private final class NeverSwapping: ForwardingSecretStore {
    let attempts = Mutex(0)
    let base: any SecretStore = InMemorySecretStore()

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        guard case .version(let current) = precondition else {
            return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
        attempts.withLock { $0 += 1 }
        return .conflict(current: current)
    }
}
