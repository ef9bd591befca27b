import Foundation
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealedSession

/// A session over a store that is no file: the library knows nothing of a keystore.
@Suite("a session over any store that can be sealed (K-8)", .timeLimit(.minutes(5)))
struct SessionTests {
    private static let environment = ["XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": "relative"]
    private let key = SecretBytes(randomCount: 32)
    private let passphrase = SecretBytes(copying: "a way back".utf8)
    private let file = InMemorySealableStore.File()

    private func name(_ text: String = "item") throws -> SecretName {
        try SecretName(text, in: SecretNamespace("default"))
    }

    private func code(
        _ body: () async throws(SecretStoreError) -> Void
    ) async -> SecretStoreError.Code? {
        do throws(SecretStoreError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test("K-8: the first key seals the store; while the session is unlocked its processes read and write")
    func whole() async throws {
        let store = InMemorySealableStore(file)
        let name = try name()
        try await store.write(SecretBytes(copying: [7]), to: name, accessibility: .whenUnlocked)
        let seal = try SessionSeal(
            of: store,
            recovery: passphrase,
            at: "a store",
            environment: Self.environment
        )
        let inside = SessionStore(
            InMemorySealableStore(file),
            at: "a store",
            environment: [SessionAgent.variable: seal.agent.socket]
        )
        try await seal.open(with: key, for: 1)
        #expect(seal.isSealed && seal.hasOpened && !seal.agent.isOpen)
        let locked = await code { () throws(SecretStoreError) in _ = try await inside.read(name) }
        #expect(locked == .classLocked, "it is not admitted yet")
        seal.admit(for: 1)
        #expect(try await inside.read(name)?.value.count == 1)
        let first = try #require(try await inside.read(name)?.version)
        let outcome = try await inside.write(
            SecretBytes(copying: [7, 8]),
            to: name,
            accessibility: .whenUnlocked,
            if: .version(first)
        )
        guard case .written(let second) = outcome else { throw CancellationError() }
        #expect(
            try await inside.write(
                SecretBytes(copying: []),
                to: name,
                accessibility: .whenUnlocked,
                if: .absent
            ) == .conflict(current: second)
        )
        seal.lock(for: 2)
        let afterwards = await code { () throws(SecretStoreError) in _ = try await inside.read(name) }
        #expect(afterwards == .classLocked)
        #expect(
            await code { () throws(SecretStoreError) in try await seal.open(with: passphrase, for: 2) }
                == .wrongKey
        )
        seal.end()
        await seal.agent.stop()

        let other = InMemorySealableStore(file)
        #expect(other.isLocked)
        try await other.unseal(with: .recovery(passphrase))
        #expect(try await other.read(name)?.value.count == 2)
    }

    @Test("K-8: a store that another process seals at the same time is opened with the same passcode")
    func sealedMeanwhile() async throws {
        let store = InMemorySealableStore(file)
        let seal = try SessionSeal(
            of: store,
            recovery: passphrase,
            at: "a store",
            environment: Self.environment
        )
        let (other, key) = (InMemorySealableStore(file), key)
        store.duringSealing.withLock {
            $0 = { () throws(SecretStoreError) in try await other.seal(under: key, recoverableWith: []) }
        }
        try await seal.open(with: key, for: 1)
        #expect(!store.isLocked && seal.hasOpened && seal.isSealedByOther)
        seal.end()
        await seal.agent.stop()
    }

    @Test("K-8: a session that is locked while its store is being sealed ends up sealed and locked")
    func lockedMeanwhile() async throws {
        let store = InMemorySealableStore(file)
        let seal = try SessionSeal(
            of: store,
            recovery: passphrase,
            at: "a store",
            environment: Self.environment
        )
        store.duringSealing.withLock { $0 = { seal.lock(for: 2) } }
        try await seal.open(with: key, for: 1)
        #expect(store.isSealed && store.isLocked)
        await seal.agent.stop()
    }

    @Test("K-8: outside of the session the message says where the store opens, in the words of the app")
    func refusal() async throws {
        let name = try name()
        try await InMemorySealableStore(file).write(
            SecretBytes(copying: [7]),
            to: name,
            accessibility: .whenUnlocked
        )
        try await InMemorySealableStore(file).seal(under: key, recoverableWith: [])
        let outside = SessionStore(
            InMemorySealableStore(file),
            at: "a store",
            environment: [SessionAgent.variable: "no/absolute/path"],
            refusal: "open the Ledger"
        )
        do throws(SecretStoreError) {
            _ = try await outside.read(name)
            Issue.record("it was read")
        } catch { #expect(error.code == .classLocked && error.message.hasSuffix(": open the Ledger")) }
    }

    @Test("K-8: an agent that is stopped leaves nothing behind, and can be stopped again")
    func stops() async throws {
        let agent = try SessionAgent(
            store: InMemorySealableStore(),
            at: "a store",
            environment: Self.environment
        )
        let folder = URL(fileURLWithPath: agent.socket).deletingLastPathComponent().path
        #expect(FileManager.default.fileExists(atPath: agent.socket))
        agent.open()
        #expect(agent.isOpen)
        async let first: Void = agent.stop()
        async let second: Void = agent.stop()
        _ = await (first, second)
        #expect(!FileManager.default.fileExists(atPath: folder) && !agent.isOpen)
        await agent.stop()
    }

    @Test("K-8: what a store's adapter says comes to a process as the port's code that is closest")
    func codes() {
        for (code, arrived) in [
            (.damaged, .damaged), (SecretStoreErrorCode("some.quota", like: .diskFull), .diskFull),
            (.outcomeUnknown, .outcomeUnknown), (.unreachable, .unreachable), (.timedOut, .timedOut),
            (SecretStoreErrorCode("some.gone", like: .unavailable), .unavailable),
            (SecretStoreErrorCode("some.other"), .systemFailure), (.classLocked, .classLocked),
        ] as [(SecretStoreErrorCode, SecretStoreErrorCode)] {
            #expect(AgentFailure(code).code == arrived)
        }
    }
}
