import Foundation
import GcryptKeystore
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealedSession
@testable import portcullis

/// The port's contract, kept by a store whose `whenUnlocked` items only the session's agent can read and write.
@Suite("SessionStore keeps the SecretStore contract (X-3)", .serialized, .timeLimit(.minutes(5)))
struct SessionStoreContractTests {
    /// The agents of one test, to be stopped at its end.
    private final class Agents: Sendable { let all = Mutex<[SessionAgent]>([]) }

    /// A folder with a sealed store in it and an agent that has it open, gone with the last opening.
    private final class Session: Sendable {
        let folder: URL
        let credential = KeystoreCredential.rawKey(SecretBytes(randomCount: 32))
        var path: String { folder.appendingPathComponent("contract.keystore").path }

        init() throws {
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("session-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// The store as the guard of the session has it.
        func agent() async throws -> SessionAgent {
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(path: path, credential: credential)
            )
            try await store.seal(under: SecretBytes(randomCount: 32))
            let server = try SessionAgent(
                store: store,
                at: path,
                environment: ["XDG_RUNTIME_DIR": folder.path]
            )
            server.open()
            return server
        }

        /// The store as a process of the session has it.
        func store(_ socket: String) async throws -> SessionStore {
            let store = try await GcryptKeystore.open(
                KeystoreConfiguration(path: path, credential: credential)
            )
            return SessionStore(store, at: path, environment: [SessionAgent.variable: socket])
        }

        /// Alters the first frame behind the header.
        func damage() throws {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            defer { try? file.close() }
            try file.seek(toOffset: 8_192 + 40)
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: 8_192 + 40)
            try file.write(contentsOf: [byte ^ 1])
        }

        /// Holds the store's lock; says how to let it go.
        func hold() throws -> @Sendable () -> Void {
            let file = unsafe open(path + ".lock", O_RDWR | O_CLOEXEC)
            try #require(flock(file, LOCK_EX) == 0)
            return { close(file) }
        }
    }

    @Test("X-3: a session's store keeps every clause", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let agents = Agents()
        let subject = SecretStoreSubject(
            lock: { _ in for agent in agents.all.withLock({ $0 }) { agent.close() } },
            unlock: { _ in for agent in agents.all.withLock({ $0 }) { agent.open() } },
            places: {
                let session = try Session()
                let agent = try await session.agent()
                agents.all.withLock { $0.append(agent) }
                let socket = agent.socket
                return SecretStoreSubject.Place(
                    damage: { _ in try session.damage() },
                    hold: { try session.hold() },
                    open: { try await session.store(socket) }
                )
            }
        )
        let result: Result<ContractResult, ContractViolation>
        do throws(ContractViolation) { result = .success(try await clause.check(subject)) } catch {
            result = .failure(error)
        }
        for agent in agents.all.withLock({ $0 }) { await agent.stop() }
        #expect((try result.get() == .kept) == (clause != .silentStreamsEnd))
    }
}
