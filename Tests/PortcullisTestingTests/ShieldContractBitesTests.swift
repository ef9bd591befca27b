import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The ShieldController contract bites (X-3)", .timeLimit(.minutes(5)))
struct ShieldContractBitesTests {
    private func subject(_ fault: ShieldFault) -> ShieldControllerSubject {
        ShieldControllerSubject {
            let controller = FaultyShieldController(fault)
            return .init(
                controller: controller,
                tokens: .init(
                    app: FaultyShieldController.chess,
                    otherApp: FaultyShieldController.mail,
                    category: FaultyShieldController.games,
                    refused: FaultyShieldController.shell
                ),
                isShut: { controller.isShut($0) },
                revoke: { controller.revoke() },
                failNext: { controller.failNext() },
                reopen: { controller.reopened() }
            )
        }
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: ShieldFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: ShieldFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
    }

    @Test(
        "X-3: what many tasks have shielded is shut while it is up, and open afterwards",
        arguments: [
            (ShieldFault.staysShut, ShieldControllerContract.concurrentShields),
            (.shutsNothing, .concurrentChanges),
        ]
    )
    func bitesAtOnce(_ fault: ShieldFault, _ clause: ShieldControllerContract) async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(subject(fault))
        }
        #expect(violation?.clause == clause.id)
    }

    @Test(
        "X-3: the controller without a fault keeps every clause",
        arguments: ShieldControllerContract.allCases
    )
    func barksAtNobody(_ clause: ShieldControllerContract) async throws {
        #expect(try await clause.check(subject(.none)) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(ShieldFault.allCases.compactMap(\.clause))
        #expect(Set(ShieldControllerContract.allCases).subtracting(proved).isEmpty)
        let ids = (1...23).map { $0 < 10 ? "SH-0\($0)" : "SH-\($0)" }
        #expect(ShieldControllerContract.allCases.map(\.id) == ids)
    }

    @Test("X-3: what a platform cannot show does not apply")
    func bareSubject() async throws {
        var skipped: [String] = []
        for clause in ShieldControllerContract.allCases {
            let bare = ShieldControllerSubject {
                let controller = InMemoryShieldController(apps: [
                    .init(FaultyShieldController.chess, label: "Chess"),
                    .init(FaultyShieldController.mail, label: "Mail"),
                ])
                controller.setCatalogue(isListed: false)
                let tokens = ShieldControllerSubject.Tokens(
                    app: FaultyShieldController.chess,
                    otherApp: FaultyShieldController.mail
                )
                return .init(controller: controller, tokens: tokens)
            }
            if try await clause.check(bare) != .kept { skipped.append(clause.id) }
        }
        let expected = ["SH-10", "SH-12", "SH-14", "SH-15", "SH-16", "SH-17", "SH-18", "SH-19", "SH-23"]
        #expect(skipped == expected)
    }

    @Test("X-3: a controller that refuses everything violates the clause, by name")
    func throwing() async {
        let violation = await #expect(throws: ContractViolation.self) {
            try await ShieldControllerContract.applies.check(
                ShieldControllerSubject {
                    .init(
                        controller: Unavailable(),
                        tokens: .init(app: AppToken("a"), otherApp: AppToken("b"))
                    )
                }
            )
        }
        #expect(violation?.description.contains("SH-02") == true)
        #expect(violation?.finding.contains("unavailable") == true)
    }
}
