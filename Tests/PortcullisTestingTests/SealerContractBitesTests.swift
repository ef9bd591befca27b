import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The PasscodeSealer contract bites (X-3, H-3)", .timeLimit(.minutes(5)))
struct SealerContractBitesTests {
    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: SealerFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: SealerFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(
                FaultySealer.subject(fault, hasRecovery: clause != .notRecoverable)
            )
        }
        #expect(violation?.clause == clause.id)
        #expect(violation?.finding.contains("unexpected error") == false)
    }

    @Test("X-3: the sealer without a fault keeps every clause", arguments: PasscodeSealerContract.allCases)
    func barksAtNobody(_ clause: PasscodeSealerContract) async throws {
        let subject = FaultySealer.subject(.none, hasRecovery: clause != .notRecoverable)
        #expect(try await clause.check(subject) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(SealerFault.allCases.compactMap(\.clause))
        #expect(Set(PasscodeSealerContract.allCases).subtracting(proved).isEmpty)
        let ids = (1...30).map { $0 < 10 ? "PS-0\($0)" : "PS-\($0)" }
        #expect(PasscodeSealerContract.allCases.map(\.id) == ids)
    }

    @Test(
        "X-3, H-3: FastPasscodeSealer keeps the contract, as software and as hardware",
        arguments: PasscodeSealerContract.allCases,
        [nil, 2, 3]
    )
    func fast(_ clause: PasscodeSealerContract, limit: Int?) async throws {
        let result = try await clause.check(
            PasscodeSealerSubject {
                let recovery =
                    clause == .notRecoverable ? nil : SecretBytes(copying: "orbit maple tundra".utf8)
                let sealer = FastPasscodeSealer(tryLimit: limit, recovery: recovery)
                guard limit != nil else {
                    return .init(
                        sealer: sealer,
                        recovery: recovery,
                        another: { FastPasscodeSealer() }
                    )
                }
                let missing = PasscodeSealerError(code: .hardwareMissing, message: "no chip")
                return .init(
                    sealer: sealer,
                    tryLimit: limit,
                    recovery: recovery,
                    another: { sealer },
                    setMissing: { sealer.setOutage($0 ? missing : nil) }
                )
            }
        )
        let expected: ContractResult =
            switch clause {
            case .triesExhausted, .rightResets, .countIsShared, .concurrentTries:
                limit == nil ? .notApplicable("the sealer counts no tries") : .kept
            case .settleDeletes: limit == nil ? .notApplicable("the sealer keeps nothing in hardware") : .kept
            case .missing: limit == nil ? .notApplicable("there is no hardware to be taken away") : .kept
            default: .kept
            }
        #expect(result == expected)
    }

    @Test("X-3: a sealer that takes no hash over, and stands alone, keeps the rest")
    func bare() async throws {
        var skipped: [String: String] = [:]
        for clause in PasscodeSealerContract.allCases {
            let subject = PasscodeSealerSubject { .init(sealer: BareSealer()) }
            guard case .notApplicable(let reason) = try await clause.check(subject) else { continue }
            skipped[clause.id] = reason
        }
        #expect(
            skipped == [
                "PS-16": "there is one instance only", "PS-17": "the sealer takes no hash over",
                "PS-18": "the sealer counts no tries", "PS-19": "the sealer counts no tries",
                "PS-20": "the sealer counts no tries", "PS-21": "there is no hardware to be taken away",
                "PS-22": "the sealer counts no tries", "PS-27": "the sealer keeps nothing in hardware",
                "PS-28": "the sealer has no recovery passphrase",
            ]
        )
    }

    @Test("X-3: a sealer that refuses everything violates the clause, by name")
    func throwing() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await PasscodeSealerContract.opens.check(
                PasscodeSealerSubject { .init(sealer: Unavailable()) }
            )
        }
        #expect(violation?.description.contains("PS-01") == true)
        #expect(violation?.finding.contains("unavailable") == true)
    }
}

/// A sealer with what the port asks for, and nothing of what it has a default for.
private struct BareSealer: ForwardingPasscodeSealer {
    let base = FastPasscodeSealer()
}
