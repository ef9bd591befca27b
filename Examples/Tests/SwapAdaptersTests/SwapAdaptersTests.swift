import ExampleSupport
import FakeBiometrics
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

@testable import swap_adapters

/// Tests of one app. Each test replaces exactly one adapter.
@Suite("SwapAdapters", .timeLimit(.minutes(5)))
struct SwapAdaptersTests {
    private let clock = ManualClock()
    private var backends: Backends {
        Backends(secrets: InMemorySecretStore(), sealer: FastPasscodeSealer(), clock: clock)
    }

    private func say(_ lines: String..., to conversation: Conversation) async -> [String] {
        var answers: [String] = []
        for line in lines { answers += await conversation.answer(to: line) }
        return answers
    }

    @Test(
        "the same lines get the same answers in memory and on Linux's back ends",
        arguments: BackendChoice.allCases
    )
    func same(_ choice: BackendChoice) async throws {
        let folder = try TemporaryFolder()
        let conversation = Conversation(diary: try Diary(try await choice.backends(in: folder.path)))
        let answers = await say(
            "read",
            "unlock 834912",
            "passcode 12",
            "passcode 834912",
            "read",
            "write One.",
            "write Two.",
            "lock",
            "write Three.",
            "unlock 000000",
            "unlock 834912",
            "read",
            to: conversation
        )
        #expect(
            answers == [
                "The diary is locked.", "There is no passcode yet.",
                "Not done: at least 6 characters are needed",
                "The passcode is set.", "Nothing is written yet.", "Written.", "Written.", "Locked.",
                "The diary is locked.", "Wrong passcode.", "Unlocked.", "· One.", "· Two.",
            ]
        )
    }

    @Test(
        "what was written outlives the process where the store says so, and only there",
        arguments: BackendChoice.allCases
    )
    func restart(_ choice: BackendChoice) async throws {
        let folder = try TemporaryFolder()
        let first = try await choice.backends(in: folder.path)
        let isDurable = first.secrets.capabilities.contains(.isDurable)
        #expect(isDurable == (choice == .linux))
        _ = await say("passcode 834912", "write One.", to: Conversation(diary: try Diary(first)))
        let second = Conversation(diary: try Diary(try await choice.backends(in: folder.path)))
        #expect(
            await say("unlock 834912", "read", to: second)
                == (isDurable
                    ? ["Unlocked.", "· One."] : ["There is no passcode yet.", "The diary is locked."])
        )
    }

    @Test("a store that throws: the person is told, and what was there stays")
    func failingStore() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        var backends = backends
        backends.secrets = failing
        let conversation = Conversation(diary: try Diary(backends))
        _ = await say("passcode 834912", "write One.", to: conversation)
        failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        #expect(
            await say("write Two.", "read", "write Three.", "read", to: conversation)
                == ["Not done: no space is left", "· One.", "Written.", "· One.", "· Three."]
        )
    }

    @Test("a store that throws while a passcode is counted: no try, and the diary stays locked")
    func failingCount() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        var backends = backends
        backends.secrets = failing
        let conversation = Conversation(diary: try Diary(backends))
        _ = await say("passcode 834912", "lock", to: conversation)
        failing.failNext(.write, with: SecretStoreError(code: .readOnly, message: "it is read-only"))
        #expect(
            await say("unlock 834912", "read", to: conversation)
                == ["Not done: it is read-only", "The diary is locked."]
        )
    }

    @Test("a reader that never matches: the diary stays locked, the passcode still opens it")
    func neverMatching() async throws {
        let finger = FakeBiometrics(clock: clock)
        for _ in 0..<FakeBiometrics.failuresToLockOut { finger.script(.fail(message: nil)) }
        var backends = backends
        backends.biometrics = finger
        let conversation = Conversation(diary: try Diary(backends))
        _ = await say("passcode 834912", "lock", to: conversation)
        #expect(
            await say(
                "touch",
                "touch",
                "touch",
                "touch",
                "touch",
                "touch",
                "read",
                "unlock 834912",
                to: conversation
            )
                == Array(repeating: "Authentication failed.", count: 4) + [
                    "Too many failures: the passcode, please.", "The passcode, please.",
                    "The diary is locked.",
                    "Unlocked.",
                ]
        )
    }

    @Test("a reader that matches opens it, and one that is missing asks for the passcode")
    func otherReaders() async throws {
        let memory = Conversation(diary: try Diary(try await BackendChoice.memory.backends(in: "")))
        #expect(
            await say("passcode 834912", "lock", "touch", to: memory) == [
                "The passcode is set.", "Locked.", "Unlocked.",
            ]
        )
        let none = Conversation(diary: try Diary(backends))
        #expect(
            await say("passcode 834912", "lock", "touch", "read", to: none)
                == ["The passcode is set.", "Locked.", "The passcode, please.", "The diary is locked."]
        )
    }

    @Test("a clock that a test moves: five wrong passcodes cost a minute, which passes at once")
    func throttled() async throws {
        let conversation = Conversation(diary: try Diary(backends))
        _ = await say("passcode 834912", "lock", to: conversation)
        for _ in 0..<5 { _ = await say("unlock 000000", to: conversation) }
        #expect(await say("unlock 834912", to: conversation) == ["Try again in 60 s."])
        await clock.advance(by: .seconds(60))
        #expect(await say("unlock 834912", to: conversation) == ["Unlocked."])
    }
}
