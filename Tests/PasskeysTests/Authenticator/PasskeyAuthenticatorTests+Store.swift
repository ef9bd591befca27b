#if Passkeys
import PortcullisCore
import PortcullisTesting
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
}
#endif
