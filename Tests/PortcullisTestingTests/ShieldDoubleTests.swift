import PortcullisCore
import PortcullisTesting
import Testing

@Suite("InMemoryShieldController", .timeLimit(.minutes(5)))
struct ShieldDoubleTests {
    private let chess = AppToken("chess")
    private let mail = AppToken("mail")
    private let shell = AppToken("shell")
    private let games = CategoryToken("games")
    private let daily = ShieldName("daily")

    private func controller(
        _ authorization: ShieldAuthorization = .approved,
        answer: ShieldAuthorization = .approved
    ) -> InMemoryShieldController {
        InMemoryShieldController(
            authorization: authorization,
            answer: answer,
            apps: [
                .init(mail, label: "Mail"),
                .init(chess, label: "chess", categories: [games]),
                .init(shell, label: "Shell", refusal: "it is a shell"),
            ],
            categoryLabels: [games: "Games"]
        )
    }

    @Test("X-3: keeps the contract", arguments: ShieldControllerContract.allCases)
    func contract(_ clause: ShieldControllerContract) async throws {
        let subject = ShieldControllerSubject {
            let shield = controller()
            return .init(
                controller: shield,
                tokens: .init(app: chess, otherApp: mail, category: games, refused: shell),
                isShut: { shield.isShut($0) },
                revoke: { shield.setAuthorization(.denied(howToAllow: "Ask the administrator.")) },
                reopen: { shield }
            )
        }
        // These need a failure of the one call that they make, and are checked below.
        if clause == .failedApply || clause == .failedClear { return }
        #expect(try await clause.check(subject) == .kept)
    }

    @Test("X-3: keeps the contract where calls fail", arguments: InMemoryShieldController.Operation.allCases)
    func failures(_ operation: InMemoryShieldController.Operation) async throws {
        let subject = ShieldControllerSubject {
            let shield = controller()
            return .init(
                controller: shield,
                tokens: .init(app: chess, otherApp: mail),
                isShut: { shield.isShut($0) },
                failNext: {
                    shield.failNext(operation, with: ShieldError(code: .systemFailure, message: "told to"))
                }
            )
        }
        let clause: ShieldControllerContract = operation == .apply ? .failedApply : .failedClear
        #expect(try await clause.check(subject) == .kept)
    }

    @Test("A-8: the person's answer is scripted, and the question can be held open")
    func authorization() async {
        let denial = ShieldAuthorization.denied(howToAllow: "Ask the administrator.")
        let shield = controller(.notDetermined, answer: denial)
        shield.gate.close()
        async let answer = shield.requestAuthorization()
        await shield.gate.waitForHeld(1)
        #expect(await shield.authorization == .notDetermined)
        shield.gate.open()
        #expect(await answer == denial)
        #expect(await shield.authorization == denial)
        shield.setAnswer(.approved)
        #expect(await shield.requestAuthorization() == .approved)
        #expect(shield.calls == [.requestAuthorization, .requestAuthorization])
    }

    @Test("A-8: a question that is cancelled stays unanswered")
    func cancelledQuestion() async {
        let shield = controller(.notDetermined)
        shield.gate.close()
        let task = Task { await shield.requestAuthorization() }
        await shield.gate.waitForHeld(1)
        task.cancel()
        #expect(await task.value == .notDetermined)
    }

    @Test("X-3: calls are recorded, those that fail included, and failures come one after the other")
    func calls() async throws {
        let shield = controller()
        let selection = ShieldSelection(apps: [chess])
        shield.failNext(.apply, with: ShieldError(code: .systemFailure, message: "first"))
        shield.failNext(.apply, with: ShieldError(code: .stateUnreadable, message: "second"))
        for code in [ShieldError.Code.systemFailure, .stateUnreadable] {
            let error = await #expect(throws: ShieldError.self) {
                try await shield.apply(selection, as: daily)
            }
            #expect(error?.code == code)
        }
        try await shield.apply(selection, as: daily)
        try await shield.clear(daily)
        #expect(shield.calls == Array(repeating: .apply(selection, as: daily), count: 3) + [.clear(daily)])
        #expect(shield.shields.isEmpty)
    }

    @Test("A-23: the catalogue is sorted by label without regard to case, and leaves out what is refused")
    func catalogue() async {
        let shield = controller()
        let catalogue = await shield.catalogue()
        #expect(catalogue?.apps.map(\.label) == ["chess", "Mail"])
        #expect(catalogue?.categories.map(\.label) == ["Games"])
        shield.setCatalogue(isListed: false)
        #expect(await shield.catalogue() == nil)
    }

    @Test("A-2: an app that is installed later joins its category")
    func installs() async throws {
        let shield = controller()
        let go = AppToken("go")
        try await shield.apply(ShieldSelection(apps: [go], categories: [games]), as: daily)
        #expect(await shield.coverage().apps[go] == .unresolved)
        #expect(!shield.isShut(go))
        shield.install(.init(go, label: "Go", categories: [games]))
        #expect(await shield.coverage().apps[go] == .gated)
        #expect(shield.isShut(go))
        shield.uninstall(go)
        #expect(await shield.coverage().apps[go] == .unresolved)
    }

    @Test("X-3: a shield can be held on its way up; a cancelled task's call then throws, and nothing changes")
    func heldApply() async throws {
        let shield = controller()
        shield.applyGate.close()
        let held = Task { try await shield.apply(ShieldSelection(apps: [chess]), as: daily) }
        await shield.applyGate.waitForHeld(1)
        #expect(shield.shields.isEmpty)
        shield.applyGate.open()
        try await held.value
        #expect(shield.isShut(chess))

        shield.applyGate.close()
        let cancelled = Task { try await shield.apply(ShieldSelection(apps: [mail]), as: daily) }
        await shield.applyGate.waitForHeld(1)
        cancelled.cancel()
        await #expect(throws: ShieldError.self) { try await cancelled.value }
        #expect(shield.isShut(chess) && !shield.isShut(mail))
    }

    @Test("X-3: an outage lasts until it is over")
    func outage() async throws {
        let shield = controller()
        shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        for _ in 0..<2 {
            await #expect(throws: ShieldError.self) {
                try await shield.apply(ShieldSelection(apps: [chess]), as: daily)
            }
            await #expect(throws: ShieldError.self) { try await shield.clear(daily) }
        }
        shield.setOutage(nil)
        try await shield.apply(ShieldSelection(apps: [chess]), as: daily)
        #expect(shield.isShut(chess))
    }
}
