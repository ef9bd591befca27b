#if Passkeys
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import Passkeys

extension PasskeyAuthenticatorTests {
    @Test("W-3: each unlock evaluates the stored salt and a fresh one, and wraps anew under the second")
    func rotation() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        var wraps = [try #require(await record()?.passkeys.first?.wrap)]
        for _ in 0..<5 {
            #expect(try await unlock(page) == "key")
            wraps.append(try #require(await record()?.passkeys.first?.wrap))
        }
        let used = device.used.suffix(5)
        #expect(used.map { $0.salts[0] } == wraps.dropLast().map(\.salt))
        #expect(used.map { $0.salts[1] } == wraps.dropFirst().map(\.salt))
        #expect(Set(wraps.map(\.salt)).count == 6)
        #expect(Set(wraps.map(\.sealed)).count == 6)
    }

    @Test("W-3: an output that was read on its way opens nothing after the next unlock")
    func capturedOutput() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let captured = Mutex<PasskeyOutputs?>(nil)
        let first = try await unlock(page) { page in
            let prompt = try #require(page.prompt)
            let answer = try page.device.answer(prompt)
            if case .used(_, let outputs) = answer { captured.withLock { $0 = outputs } }
            page.answer(answer)
        }
        #expect(first == "key")
        #expect(try await unlock(page) == "key")
        let old = try #require(captured.withLock { $0 })
        let record = try #require(await record()?.passkeys.first)
        let owner = page.authenticator.owner(of: record.credential.id)
        #expect(record.wrap.open(under: old.first, owner: owner) == nil)
        #expect(record.wrap.open(under: old.second, owner: owner) == nil)
    }

    @Test("W-3: a response without outputs, with one, with the same twice or with another's opens nothing")
    func outputs() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let random = SecretBytes(randomCount: 32)
        let short = SecretBytes(randomCount: 31)
        for make in [
            { _ in nil },
            { PasskeyOutputs(first: $0.first, second: $0.first) },
            { PasskeyOutputs(first: random, second: $0.second) },
            { PasskeyOutputs(first: $0.first, second: short) },
            { PasskeyOutputs(first: short, second: $0.second) },
            { PasskeyOutputs(first: $0.second, second: $0.first) },
        ] as [(PasskeyOutputs) -> PasskeyOutputs?] {
            let before = try await record()
            let ended = try await unlock(page) { page in
                let answer = try page.device.answer(try #require(page.prompt))
                guard case .used(let assertion, let outputs) = answer else { return }
                page.answer(.used(assertion, make(try #require(outputs))))
            }
            #expect(ended == texts.noKeyOutput)
            #expect(try await record() == before)
        }
        #expect(try await unlock(page) == "key")
    }

    @Test(
        "W-3: a passkey that was removed from the device ends as one that the person takes away; dropped here, no prompt"
    )
    func removed() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        device.removeAll()
        #expect(try await unlock(page) == "cancelled by user")
        try await page.authenticator.forget(user)
        let ended = try await unlock(page) { page in #expect(page.prompt == nil) }
        #expect(ended == texts.noPasskey)
    }

    @Test("W-3: a counter that goes back is refused; a device that does not count is right")
    func counters() async throws {
        device.behaviour.step = 1
        let page = try page()
        #expect(await refusal(page) == nil)
        for _ in 0..<3 { #expect(try await unlock(page) == "key") }
        let before = try await record()
        device.setCounters(1)
        #expect(try await unlock(page) == texts.counterWentBack)
        device.setCounters(3)
        #expect(try await unlock(page) == texts.counterWentBack, "the same is not more")
        #expect(try await record() == before)
        device.setCounters(4)
        #expect(try await unlock(page) == "key")
    }

    @Test("W-3: a page's other ends: an error of the browser, another passkey, another user's handle")
    func otherEnds() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        #expect(try await unlock(page) { $0.answer(.failed) } == texts.failed)
        #expect(try await unlock(page) { try $0.use { $0.toldID = [1, 2, 3] } } == texts.unknownPasskey)
        #expect(try await unlock(page) { try $0.use { $0.userHandle = [1] } } == texts.unknownPasskey)
        #expect(try await unlock(page) { try $0.use { $0.signatureFlip = 1 } } == texts.failed)
        #expect(
            try await unlock(page) { try $0.use { $0.set("origin", "\"https://evil.example\"") } }
                == texts.failed
        )
        #expect(try await unlock(page) == "key")
    }
}
#endif
