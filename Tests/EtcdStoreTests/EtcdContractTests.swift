#if EtcdStore
import EtcdStore
import Foundation
import PortcullisCore
import PortcullisTesting
import SealingStore
import Testing

@Suite(
    "EtcdStore keeps the contract on three nodes (F-2)",
    .enabled(if: EtcdNodes.isInstalled, "etcd is not installed"),
    .timeLimit(.minutes(10))
)
struct EtcdContractTests {
    /// Places on one cluster, each with a prefix of its own.
    private func subject(
        _ wrap: @escaping @Sendable (EtcdStore) async throws -> any SecretStore = { $0 }
    ) -> SecretStoreSubject {
        SecretStoreSubject(
            unsupported: [.waitsOffThePool],
            places: {
                let nodes = try await SharedNodes.nodes
                let prefix = "t\(UUID())/"
                return SecretStoreSubject.Place(
                    damage: { _ in try await nodes.store(prefix: prefix).damageAll() },
                    open: {
                        // A busy machine may take its time; what a node is left for is tested elsewhere.
                        try await wrap(
                            try await nodes.store(
                                prefix: prefix,
                                deadline: .seconds(60),
                                attemptTimeout: .seconds(30)
                            )
                        )
                    }
                )
            }
        )
    }

    @Test("F-2: the store itself", arguments: SecretStoreContract.allCases)
    func plain(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(subject())
        let others: Set<SecretStoreContract> = [.silentStreamsEnd, .lockedClass, .waitsOffThePool]
        #expect((result == .kept) != others.contains(clause), "\(result)")
    }

    @Test("F-1, F-2: sealed", arguments: SecretStoreContract.allCases)
    func sealed(_ clause: SecretStoreContract) async throws {
        let key = SecretBytes(randomCount: 32)
        let result = try await clause.check(
            subject { try await SealingStore.open(over: $0, under: [key], creating: true) }
        )
        let others: Set<SecretStoreContract> = [.silentStreamsEnd, .lockedClass, .waitsOffThePool]
        #expect((result == .kept) != others.contains(clause), "\(result)")
    }
}
#endif
