import ExampleSupport
import GcryptKeystore
import Logging
import PortcullisCore
import PortcullisTesting
import SealingStore
import Testing

@testable import account_server
import AccountService

@Suite("What the server keeps of what it saw", .timeLimit(.minutes(2)))
struct SeenKeeperTests {
    private typealias Store = SealingStore<RecordingSecretStore<InMemorySecretStore>>

    @Test("F-1: while the sealing keys are damaged, what was seen is kept, and an older value is noticed")
    func damagedKeys() async throws {
        let folder = try TemporaryFolder()
        let below = RecordingSecretStore(InMemorySecretStore())
        let key = SecretBytes(randomCount: 32)
        func client() async throws -> Store {
            try await Store.open(
                over: below,
                under: [key],
                creating: true,
                anchor: FileAnchor(path: "\(folder.path)/anchor")
            )
        }
        let name = try SecretName("alice", in: SecretNamespace("accounts"))
        let keys = SecretName.library("keyring", in: .library("sealing"))
        let (log, clock) = (LineLog(), ManualClock())
        let logger = Logger(label: "keeper") { _ in
            JSONLogHandler(level: .trace, now: { clock.now.wall }, sink: { log.add($0) })
        }
        // The anchor's claim ends with the first client.
        do {
            let store = try await client()
            let keeper = SeenKeeper(store: store, clock: clock, logger: logger)
            try await store.write(Self.bytes("old"), to: name, accessibility: .afterFirstUnlock)
            below.forgetCalls()
            _ = try await store.read(name)
            guard case .read(let place)? = below.calls.first else {
                Issue.record("nothing was read below")
                return
            }
            let old = try #require(try await below.read(place))
            try await store.write(Self.bytes("new"), to: name, accessibility: .afterFirstUnlock)
            let intact = try #require(try await below.read(keys))
            try await below.write(Self.bytes("damaged"), to: keys, accessibility: intact.accessibility)
            await keeper.keep()
            try await below.write(intact.value, to: keys, accessibility: intact.accessibility)
            try await below.write(old.value, to: place, accessibility: old.accessibility)
        }
        #expect(log.text.contains(#""level":"error","message":"the sealing keys were not read again""#))
        #expect(!log.text.contains("what was seen was not kept"))
        let restarted = try await client()
        let error = await #expect(throws: SecretStoreError.self) { _ = try await restarted.read(name) }
        #expect(error?.code == .rolledBack)
    }

    private static func bytes(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8) }
}
