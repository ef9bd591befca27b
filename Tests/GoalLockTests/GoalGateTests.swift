import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Whose passcode is asked for before the lock is loosened, and when.
@Suite("The gate before the goal lock's ways out (A-9, A-11)", .timeLimit(.minutes(5)))
struct GoalGateTests {
    private struct Refused: Error {}

    private static let anna = UserID("anna")!

    /// A host with a passcode lock of its own.
    private final class Host: Sendable {
        private let state = Mutex((answers: true, questions: [Question]()))

        var questions: [Question] { state.withLock { $0.questions } }

        func refuses() { state.withLock { $0.answers = false } }

        func gate(_ service: GoalLockService, user: UserID = .device) -> GoalGate {
            GoalGate(service, user: user) { [self] guardian, change in
                let answers = state.withLock { state in
                    state.questions.append(Question(guardian: guardian, changes: change.changes))
                    return state.answers
                }
                if !answers { throw Refused() }
            }
        }
    }

    /// What the host was asked.
    private struct Question: Equatable {
        var guardian: UserID
        var changes: [GoalLoosening.Change]
    }

    private let bench = ServiceBench()
    private let host = Host()

    // MARK: What loosens

    private static func status(isEnabled: Bool = true, guardian: String? = nil) -> GoalStatus {
        var status = GoalStatus(
            isEnabled: isEnabled,
            isEntitled: true,
            reason: isEnabled ? nil : .disabled,
            selection: ShieldSelection(
                apps: [AppToken("a"), AppToken("b")],
                categories: [CategoryToken("c")]
            ),
            progress: 0,
            goal: 10,
            dayStart: TimeOfDay(hour: 2, minute: 30)!,
            date: CivilDate(year: 2026, month: 11, day: 21),
            untilNextDay: .seconds(1)
        )
        status.guardian = guardian
        return status
    }

    private static let less = ShieldSelection(
        apps: [AppToken("a")],
        categories: [CategoryToken("c"), CategoryToken("d")]
    )
    private static let noCategory = ShieldSelection(apps: [AppToken("a"), AppToken("b"), AppToken("d")])
    private static let more = ShieldSelection(
        apps: [AppToken("a"), AppToken("b"), AppToken("d")],
        categories: [CategoryToken("c")]
    )
    private static let all = GoalRequest(
        switchesOff: true,
        goal: 9,
        selection: less,
        dayStart: TimeOfDay(hour: 3, minute: 0)
    )
    private static let requests: [(GoalRequest, GoalStatus?, [GoalLoosening.Change])] = [
        (GoalRequest(), status(), []),
        (GoalRequest(goal: 10), status(), []),
        (GoalRequest(goal: 11), status(), []),
        (GoalRequest(goal: 9.5), status(), [.lowerGoal]),
        (GoalRequest(goal: .nan), status(), [.lowerGoal]),
        (GoalRequest(selection: more), status(), []),
        (GoalRequest(selection: less), status(), [.smallerSelection]),
        (GoalRequest(selection: noCategory), status(), [.smallerSelection]),
        (GoalRequest(selection: ShieldSelection()), status(), [.smallerSelection]),
        (GoalRequest(dayStart: TimeOfDay(hour: 2, minute: 30)), status(), []),
        (GoalRequest(dayStart: TimeOfDay(hour: 1, minute: 45)), status(), [.otherDayStart]),
        (GoalRequest(dayStart: TimeOfDay(hour: 2, minute: 31)), status(), [.otherDayStart]),
        (GoalRequest(switchesOff: true), status(), [.off]),
        (all, status(), GoalLoosening.Change.allCases),
        (all, status(isEnabled: false), []),
        (GoalRequest(goal: 11, selection: more), nil, [.lowerGoal, .smallerSelection]),
        (GoalRequest(), nil, []),
        (all, nil, GoalLoosening.Change.allCases),
    ]

    @Test("A-4, A-9: what of a request loosens a lock that is on, off or cannot be read", arguments: requests)
    func loosening(_ row: (request: GoalRequest, status: GoalStatus?, changes: [GoalLoosening.Change])) {
        let loosening = GoalLoosening(of: row.request, from: row.status)
        #expect(loosening.changes == row.changes)
        #expect(loosening.isEmpty == row.changes.isEmpty)
    }

    // MARK: Who guards

    private static let guardians: [(GoalStatus?, noted: String?, UserID?)] = [
        (status(isEnabled: false), nil, anna),
        (status(isEnabled: false), "bert", anna),
        (status(isEnabled: false), "", anna),
        (status(), nil, .device),
        (status(), "bert", UserID("bert")),
        (status(), "", nil),
        (status(guardian: "carl"), "bert", UserID("carl")),
        (status(guardian: "carl"), "", UserID("carl")),
        (status(guardian: ""), "bert", nil),
        (nil, nil, .device),
        (nil, "bert", UserID("bert")),
        (nil, "\n", nil),
    ]

    @Test("P-6: a lock that is on, or cannot be read, has the guardian that was noted", arguments: guardians)
    func guardian(_ row: (status: GoalStatus?, noted: String?, guardian: UserID?)) {
        var found: UserID?
        do throws(GoalError) {
            found = try Guardian.of(row.status, named: Self.anna, noted: row.noted)
        } catch {
            #expect(error.code == .damagedGuardian)
        }
        #expect(found == row.guardian)
    }

    @Test("P-6: a guardian whose id differs in its Unicode form alone is another one, and is noted")
    func unicodeForms() throws {
        let guardian = try #require(UserID("caf\u{E9}"))
        #expect(Guardian.isNews(guardian, noted: "cafe\u{301}"))
        #expect(!Guardian.isNews(guardian, noted: "caf\u{E9}"))
    }

    @Test("P-6: the guardian is noted while the lock is off, and kept while it is on")
    func appointed() async throws {
        let service = try bench.service()
        let store = InMemorySecretStore(bench.storage)
        #expect(try await host.gate(service).appoint() == .device)
        #expect(try await store.read(GoalNames.guardian) == nil, "the device's is not noted")
        #expect(try await host.gate(service, user: Self.anna).appoint() == Self.anna)
        try await service.select(ServiceBench.selection)
        _ = try await service.enable()
        for user in [UserID.device, UserID("bert")!] {
            let gate = host.gate(service, user: user)
            #expect(try await gate.appoint() == Self.anna)
            #expect(try await gate.guardian() == Self.anna)
        }
        try await service.disable()
        #expect(try await host.gate(service).appoint() == .device)
        _ = try await service.enable()
        #expect(try await host.gate(service, user: Self.anna).guardian() == .device)
    }

    @Test("P-6, A-9: who switches the lock on is the guardian, whom another may have replaced before")
    @MainActor
    func appointedLast() async throws {
        let service = try bench.service()
        try await service.select(ServiceBench.selection)
        let gate = host.gate(service, user: Self.anna)
        let settings = GoalScreenEffects(service: service, clock: bench.clock, gate: gate)
            .settings(pick: { _, _ in nil }, openPaywall: {}, finish: {})
        settings.handle(.appeared)
        try await BoundedWait.until("the settings") { !settings.content.isBusy }
        try await gate.appoint()
        try await host.gate(service, user: UserID("bert")!).appoint()
        settings.handle(.toggle)
        try await BoundedWait.until("the lock to be on") { try await service.status().isEnabled }
        #expect(try await host.gate(service).guardian() == Self.anna)
        try await service.disable()
        try await host.gate(service, user: UserID("bert")!).appoint()
        _ = try await gate.enable()
        #expect(try await host.gate(service).guardian() == Self.anna)
    }

    @Test("P-6, A-9: a user noted between the note and the switch does not become the guardian")
    func notedBetween() async throws {
        let store = InMemorySecretStore(bench.storage)
        let bert = UserID("bert")!
        let other = host.gate(try bench.service(), user: bert)
        let isNoted = Mutex(false)
        let entitlement = InterruptedEntitlement {
            guard try await store.read(GoalNames.guardian) != nil, !isNoted.withLock({ $0 }) else { return }
            try await other.appoint()
            isNoted.withLock { $0 = true }
        }
        let service = try bench.service(entitlement: entitlement)
        _ = try await host.gate(service, user: Self.anna).enable()
        #expect(isNoted.withLock { $0 })
        for user in [UserID.device, bert] {
            #expect(try await host.gate(service, user: user).guardian() == Self.anna)
            _ = try await host.gate(service, user: user).enable()
        }
        try await bench.overwriteRecord("?")
        #expect(try await host.gate(service).guardian() == Self.anna, "the item names the same user")
        try await service.release()
        #expect(try await bench.record()?.guardian == nil)
    }

    @Test("A-11: a note that names no user keeps the way out shut, and is replaced once the lock is off")
    func damaged() async throws {
        let service = try await bench.enabled()
        let store = InMemorySecretStore(bench.storage)
        try await store.write(
            SecretBytes(""),
            to: GoalNames.guardian,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        await #expect(throws: GoalError.self) { try await host.gate(service).release() }
        await #expect(throws: GoalError.self) { try await host.gate(service).appoint() }
        #expect(try await service.status().isEnabled && host.questions.isEmpty)
        try await service.disable()
        #expect(try await host.gate(service, user: Self.anna).appoint() == Self.anna)
        _ = try await service.enable()
        #expect(try await host.gate(service).guardian() == Self.anna)
    }

    // MARK: The gate

    @Test("A-9: what loosens is asked for, by the guardian's passcode, and all else is let through")
    func pass() async throws {
        let service = try bench.service()
        try await host.gate(service, user: Self.anna).appoint()
        try await host.gate(service, user: Self.anna).pass(GoalRequest(goal: 1))
        #expect(host.questions.isEmpty, "it is off")
        try await service.select(ServiceBench.selection)
        _ = try await service.enable()
        try await host.gate(service).pass(GoalRequest(goal: 200))
        #expect(host.questions.isEmpty)
        try await host.gate(service).pass(GoalRequest(goal: 1))
        #expect(host.questions == [Question(guardian: Self.anna, changes: [.lowerGoal])])
        host.refuses()
        await #expect(throws: Refused.self) { try await host.gate(service).pass(GoalRequest(goal: 1)) }
    }

    @Test("A-6, A-9: an earlier start of days is asked for, since a number may count for two days then")
    func earlierDayStart() async throws {
        let service = try await bench.enabled()
        try await service.setDayStart(try #require(TimeOfDay(hour: 4, minute: 0)))
        // At 02:17 it is still yesterday, and its goal is reached.
        await bench.clock.advance(by: .hours(14) + .minutes(17))
        let date = try await service.update(progress: 100).date
        #expect(!bench.shield.isUp)
        try await host.gate(service).pass(GoalRequest(dayStart: .midnight))
        #expect(host.questions == [Question(guardian: .device, changes: [.otherDayStart])])
        #expect(try await service.setDayStart(.midnight).date > date)
    }

    @Test("A-9: a guardian who is named while the passcode of another one is asked for is asked, too")
    func changedMeanwhile() async throws {
        let service = try bench.service()
        try await service.select(ServiceBench.selection)
        let asked = Mutex<[Question]>([])
        let gate = GoalGate(service) { [bench, host] guardian, change in
            let isFirst = asked.withLock { asked in
                asked.append(Question(guardian: guardian, changes: change.changes))
                return asked.count == 1
            }
            guard isFirst else { throw Refused() }
            // Before the first answer, another person switches the lock on.
            let other = try bench.service()
            try await host.gate(other, user: Self.anna).appoint()
            _ = try await other.enable()
        }
        await #expect(throws: Refused.self) { try await gate.release() }
        #expect(bench.shield.isUp)
        let questions = [
            Question(guardian: .device, changes: []), Question(guardian: Self.anna, changes: [.off]),
        ]
        #expect(asked.withLock(\.self) == questions)
    }

    @Test("A-9: a request that loosens more by the time of the answer is asked for again")
    func moreMeanwhile() async throws {
        let service = try await bench.enabled()
        let asked = Mutex<[[GoalLoosening.Change]]>([])
        let gate = GoalGate(service) { [bench] _, change in
            let count = asked.withLock { asked in
                asked.append(change.changes)
                return asked.count
            }
            if count == 1 {
                try await bench.service().select(ShieldSelection(apps: [AppToken("chess"), AppToken("go")]))
            }
        }
        let request = GoalRequest(goal: 1, selection: ServiceBench.selection)
        try await gate.pass(request)
        #expect(asked.withLock(\.self) == [[.lowerGoal], [.lowerGoal, .smallerSelection]])
    }

    @Test("A-11: the way out needs the passcode, also where the state is damaged")
    func release() async throws {
        let service = try await bench.enabled()
        host.refuses()
        await #expect(throws: Refused.self) { try await host.gate(service).release() }
        #expect(bench.shield.isUp)
        try await bench.overwriteRecord("?")
        await #expect(throws: Refused.self) { try await host.gate(service, user: Self.anna).release() }
        #expect(bench.shield.isUp)
        #expect(host.questions == Array(repeating: Question(guardian: .device, changes: [.off]), count: 2))

        let other = Host()
        try await other.gate(service).release()
        #expect(!bench.shield.isUp && other.questions.count == 1)
        try await other.gate(service).release()
        #expect(other.questions.count == 2, "what was stopped for it may still be")
    }
}
