import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

/// The port's contract, on a real file for each clause.
@Suite("GcryptKeystore keeps the SecretStore contract (X-3)", .timeLimit(.minutes(5)))
struct ContractTests {
    @Test("X-3: the keystore keeps every clause", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let credential = KeystoreCredential.rawKey(SecretBytes(randomCount: 32))
        let subject = SecretStoreSubject(
            lock: { ($0 as? GcryptKeystore)?.lock() },
            unlock: { store in
                try await (store as? GcryptKeystore)?.unlock(with: credential)
            },
            places: {
                // The closures keep the folder for as long as the store can be opened there.
                let scratch = try Scratch()
                return SecretStoreSubject.Place(
                    damage: { _ in
                        // The first frame behind the header.
                        var bytes = try scratch.bytes()
                        bytes[8_192 + 40] ^= 1
                        try scratch.put(bytes, inPlace: true)
                    },
                    hold: {
                        let lock = try HeldLock(scratch)
                        return { lock.release() }
                    },
                    open: {
                        try await GcryptKeystore.open(
                            KeystoreConfiguration(path: scratch.store, credential: credential)
                        )
                    }
                )
            }
        )
        let result = try await clause.check(subject)
        let doesNotApply: Set<SecretStoreContract> = [.silentStreamsEnd]
        #expect((result == .kept) == !doesNotApply.contains(clause))
    }
}
