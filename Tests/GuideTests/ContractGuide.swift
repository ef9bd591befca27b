import CronScheduler
import FakeBiometrics
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

/// What the contracts' own documentation shows; each runs on the adapter of this package that keeps it in memory.
@Suite("Guides: contracts", .timeLimit(.minutes(5)))
struct ContractGuide {
    private static let chess = AppToken("chess.desktop")
    private static let mail = AppToken("mail.desktop")

    @Suite("Schedulers", .timeLimit(.minutes(5)))
    struct Schedulers {
        // It stands for a type of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyScheduler(clock: ManualClock, executor: ManualExecutor?) -> CronScheduler {
            CronScheduler(clock: clock, executor: executor)
        }

        @Test("X-3: keeps the contract", arguments: ActivitySchedulerContract.allCases)
        func contract(_ clause: ActivitySchedulerContract) async throws {
            try await clause.check(
                ActivitySchedulerSubject { clock in MyScheduler(clock: clock, executor: clock.executor) }
            )
        }
    }

    @Suite("Shields", .timeLimit(.minutes(5)))
    struct Shields {
        // It stands for a type of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyController() -> InMemoryShieldController {
            InMemoryShieldController(apps: [.init(chess, label: "Chess"), .init(mail, label: "Mail")])
        }

        @Test("X-3: keeps the contract", arguments: ShieldControllerContract.allCases)
        func contract(_ clause: ShieldControllerContract) async throws {
            try await clause.check(
                ShieldControllerSubject {
                    .init(controller: MyController(), tokens: .init(app: chess, otherApp: mail))
                }
            )
        }
    }

    @Suite("Notifiers", .timeLimit(.minutes(5)))
    struct Notifiers {
        // It stands for a type of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyNotifier(clock: ManualClock) -> RecordingNotifier { RecordingNotifier(clock: clock) }

        @Test("X-3: keeps the contract", arguments: NotifierContract.allCases)
        func contract(_ clause: NotifierContract) async throws {
            try await clause.check(
                NotifierSubject { clock in
                    let notifier = MyNotifier(clock: clock)
                    return .init(notifier: notifier, delivered: { notifier.shown })
                }
            )
        }
    }

    @Suite("Biometrics", .timeLimit(.minutes(5)))
    struct Biometrics {
        // It stands for a type of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyAuthenticator() -> FakeBiometrics { FakeBiometrics(clock: ManualClock()) }

        @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
        func contract(_ clause: BiometricAuthenticatorContract) async throws {
            try await clause.check(BiometricAuthenticatorSubject { .init(authenticator: MyAuthenticator()) })
        }
    }

    @Suite("A reader that is told what happens", .timeLimit(.minutes(5)))
    struct ToldReader {
        // They stand for types of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyReader() -> FakeBiometrics { FakeBiometrics(clock: ManualClock()) }
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MyAuthenticator(_ reader: FakeBiometrics) -> FakeBiometrics { reader }

        @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
        func contract(_ clause: BiometricAuthenticatorContract) async throws {
            let subject = BiometricAuthenticatorSubject {
                let reader = MyReader()
                return .init(
                    authenticator: MyAuthenticator(reader),
                    reader: .init(
                        prompt: { reader.shown },
                        present: { reader.happen($0) },
                        events: [.match, .noMatch]
                    )
                )
            }
            try await clause.check(subject)
        }
    }

    @Suite("Accounts", .timeLimit(.minutes(5)))
    struct Accounts {
        private func signIn() async throws -> InMemoryPasscodeAccount {
            InMemoryPasscodeAccount(InMemoryAccountServer(clock: ManualClock()))
        }

        @Test("X-3: keeps the contract", arguments: PasscodeAccountContract.allCases)
        func contract(_ clause: PasscodeAccountContract) async throws {
            try await clause.check(PasscodeAccountSubject { .init(account: try await signIn()) })
        }
    }

    @Test("X-3: a report tells what became of each clause")
    func report() async throws {
        let clock = ManualClock()
        let subject = NotifierSubject(running: clock) {
            let notifier = RecordingNotifier(clock: clock)
            return .init(notifier: notifier, delivered: { notifier.delivered })
        }
        let report = await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept && report.rows.count == NotifierContract.allCases.count)
        #expect(report.notApplicable.contains { $0 == ("N-20", "the reader cannot be held in a test") })
        #expect(
            report.rows[0].description
                == "N-01   kept            a fresh notifier has delivered nothing, and nothing is pending"
        )
        let broken = await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
            try await clause.check(NotifierSubject { _ in .init(notifier: Unavailable(), delivered: { [] }) })
        }
        #expect(!broken.isKept && "\(broken)".contains("N-02   NOT KEPT        an unexpected error"))
    }

    @Suite("Sealers", .timeLimit(.minutes(5)))
    struct Sealers {
        // It stands for a type of the reader's.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        private func MySealer() -> GcryptPasscodeSealer {
            GcryptPasscodeSealer(parameters: Argon2Parameters(memory: 64, passes: 1, lanes: 1))
        }

        @Test("X-3: keeps the contract", arguments: PasscodeSealerContract.allCases)
        func contract(_ clause: PasscodeSealerContract) async throws {
            try await clause.check(PasscodeSealerSubject { .init(sealer: MySealer()) })
        }
    }

    @Test("S-6: a task on the clock's executor has run when the clock has moved")
    func executor() async throws {
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        let ringing = Task(executorPreference: executor) { try await clock.sleep(until: .wall(.seconds(30))) }
        await clock.advance(by: .seconds(60))
        try await ringing.value
    }
}

extension FakeBiometrics {
    fileprivate var shown: BiometricAuthenticatorSubject.Prompt? {
        prompt.map { .init(reason: $0.reason, fallbackTitle: $0.fallbackTitle) }
    }

    fileprivate func happen(_ event: BiometricAuthenticatorSubject.PromptEvent) {
        answer(event == .match ? .success : .fail(message: nil))
    }
}

extension RecordingNotifier {
    fileprivate var shown: [LockNotification] { delivered }
}
