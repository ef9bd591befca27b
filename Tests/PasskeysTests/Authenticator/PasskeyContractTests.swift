#if Passkeys
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import Passkeys

@Suite("PasskeyAuthenticator keeps the contract (X-3, W-3)", .timeLimit(.minutes(5)))
struct PasskeyContractTests {
    /// The session whose page is looked at; another after the authenticator was made anew.
    private final class Page: Sendable {
        private let shown: Mutex<BrowserSession>

        init(_ session: BrowserSession) { shown = Mutex(session) }

        var session: BrowserSession {
            get { shown.withLock { $0 } }
            set { shown.withLock { $0 = newValue } }
        }

        func present(_ event: BiometricAuthenticatorSubject.PromptEvent) throws {
            switch event {
            case .match: try session.use()
            case .noMatch: try session.use { $0.flags.remove(.userVerified) }
            case .userCancels: session.answer(.cancelled)
            case .systemCancels: session.answer(.withdrawn)
            case .choosesPasscode: session.answer(.passcodeChosen)
            }
        }
    }

    private func subject(_ behaviour: SoftwareAuthenticator.Behaviour) -> BiometricAuthenticatorSubject {
        BiometricAuthenticatorSubject {
            let store = FailingSecretStore(InMemorySecretStore())
            let device = SoftwareAuthenticator()
            device.behaviour = behaviour
            let clock = ManualClock()
            let page = Page(try BrowserSession(device, store: store, clock: clock))
            let failure = SecretStoreError(code: .unavailable, message: "no store for a test")
            return .init(
                authenticator: page.session.authenticator,
                reader: .init(
                    prompt: {
                        page.session.prompt.map { .init(reason: $0.reason, fallbackTitle: $0.fallbackTitle) }
                    },
                    present: { try page.present($0) }
                ),
                setSwitchedOn: { page.session.authenticator.setAvailable($0) },
                letPass: { await clock.advance(by: $0) },
                failNext: {
                    store.failNext(.write, with: failure)
                    store.failNext(.remove, with: failure)
                },
                reopen: {
                    page.session = try BrowserSession(device, store: store, clock: clock, name: "the next")
                    return page.session.authenticator
                }
            )
        }
    }

    private func expected(_ clause: BiometricAuthenticatorContract) -> ContractResult {
        switch clause {
        // A site does not learn whose fingers a device knows.
        case .noneEnrolled: .notApplicable("none can be taken away in a test")
        case .digestChanges, .enrolmentChanged, .changedMeanwhile, .changedBeforeReopening:
            .notApplicable("none can be enrolled in a test")
        // The device locks out, and tells no site.
        case .lockOut, .lockOutLasts, .countStartsAnew: .notApplicable("it is not locked out in a test")
        // The browser draws the prompt.
        case .hints: .notApplicable("no hints can be brought about in a test")
        default: .kept
        }
    }

    @Test(
        "X-3: with a device that does not count, it keeps every clause",
        arguments: BiometricAuthenticatorContract.allCases
    )
    func uncounted(_ clause: BiometricAuthenticatorContract) async throws {
        #expect(try await clause.check(subject(.init())) == expected(clause))
    }

    @Test(
        "X-3: with a device that counts and is backed up, it keeps every clause",
        arguments: BiometricAuthenticatorContract.allCases
    )
    func counted(_ clause: BiometricAuthenticatorContract) async throws {
        var behaviour = SoftwareAuthenticator.Behaviour()
        (behaviour.step, behaviour.isBackedUp, behaviour.saysPRF) = (1, true, nil)
        #expect(try await clause.check(subject(behaviour)) == expected(clause))
    }
}
#endif
