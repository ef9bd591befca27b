#if Passkeys
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import Passkeys

extension PasskeyAuthenticatorTests {
    @Test("W-3: a store that fails opens nothing, and the passkey opens afterwards")
    func failingStore() async throws {
        let store = FailingSecretStore(InMemorySecretStore(storage))
        let page = try page(store: store)
        #expect(await refusal(page) == nil)
        let failure = SecretStoreError(code: .unavailable, message: "no store")
        store.failNext(.write, with: failure)
        #expect(try await unlock(page) == texts.storeFailed)
        store.failNext(.read, with: failure)
        #expect(try await unlock(page) == texts.storeFailed)
        // Whether it was written is not known: what is there opens either way.
        store.failNextAfterEffect(.write, with: SecretStoreError(code: .outcomeUnknown, message: "lost"))
        #expect(try await unlock(page) == texts.storeFailed)
        #expect(try await unlock(page) == "key")
    }

    @Test(
        "W-3: a record that cannot be understood opens nothing and is no fresh start; forgetting it is the way out"
    )
    func damage() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let store = InMemorySecretStore(storage)
        let name = PasskeyNames.record(of: user)
        let good = try #require(await store.read(name)).value.withBytes { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
        for bad in [
            "", "{}", "{\"version\":1,\"passkeys\":[]}",
            good.replacing("\"version\":1", with: "\"version\":2"),
            good.replacing("\"salt\":[", with: "\"salt\":[1,"), String(good.dropLast(2)),
        ] {
            try await store.write(
                SecretBytes(copying: bad.utf8),
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
            #expect(try await unlock(page) == texts.storeFailed)
            #expect(await refusal(page)?.code == .passkeyRecordDamaged)
        }
        try await page.authenticator.forget(user)
        #expect(await refusal(page) == nil)
        #expect(try await unlock(page) == "key")
    }

    @Test("W-3: an altered wrap, or one of another passkey, site or salt, opens nothing")
    func wraps() throws {
        let (output, owner, salt) = (SecretBytes(randomCount: 32), Array("owner".utf8), Array<UInt8>(0..<32))
        for size in [0, 1, 16, 32, 1_000] {
            let key = SecretBytes(randomCount: size)
            let wrap = try KeyWrap(key, under: output, salt: salt, owner: owner)
            #expect(try #require(wrap.open(under: output, owner: owner)).matches(key))
            #expect(wrap.open(under: SecretBytes(randomCount: 32), owner: owner) == nil)
            #expect(wrap.open(under: output, owner: owner + [0]) == nil)
            #expect(
                KeyWrap(salt: salt.reversed(), sealed: wrap.sealed).open(under: output, owner: owner) == nil
            )
            for place in wrap.sealed.indices where size < 1_000 {
                var altered = wrap.sealed
                altered[place] ^= 1
                #expect(KeyWrap(salt: salt, sealed: altered).open(under: output, owner: owner) == nil)
            }
            for count in 0..<min(wrap.sealed.count, 40) {
                let cut = KeyWrap(salt: salt, sealed: Array(wrap.sealed.prefix(count)))
                #expect(cut.open(under: output, owner: owner) == nil)
            }
        }
        #expect(KeyWrap.mark(of: key) == KeyWrap.mark(of: key))
        #expect(KeyWrap.mark(of: key) != KeyWrap.mark(of: output))
    }

    /// Does something while the next call of an operation is under way.
    private final class MeddlingStore: ForwardingSecretStore {
        let base: any SecretStore
        private let meddling = Mutex<(read: (@Sendable () -> Void)?, write: (@Sendable () -> Void)?)>(
            (nil, nil)
        )

        init(_ base: any SecretStore) { self.base = base }

        func onNextRead(_ act: @escaping @Sendable () -> Void) { meddling.withLock { $0.read = act } }
        func onNextWrite(_ act: @escaping @Sendable () -> Void) { meddling.withLock { $0.write = act } }

        func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
            let act = meddling.withLock { meddling in
                defer { meddling.read = nil }
                return meddling.read
            }
            act?()
            return try await base.read(name)
        }

        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            let act = meddling.withLock { meddling in
                defer { meddling.write = nil }
                return meddling.write
            }
            act?()
            return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    @Test(
        "W-3: a browser that turns out to have no passkeys gets no prompt, and opens nothing, at whatever instant"
    )
    func switchedOffMeanwhile() async throws {
        let store = MeddlingStore(InMemorySecretStore(storage))
        let page = try page(store: store)
        #expect(await refusal(page) == nil)
        store.onNextRead { page.authenticator.setAvailable(false) }
        #expect(try await unlock(page) == "notAvailable")
        page.authenticator.setAvailable(true)
        store.onNextWrite { page.authenticator.setAvailable(false) }
        #expect(try await unlock(page) == "cancelled by system")
        page.authenticator.setAvailable(true)
        #expect(try await unlock(page) == "key")
    }
}
#endif
