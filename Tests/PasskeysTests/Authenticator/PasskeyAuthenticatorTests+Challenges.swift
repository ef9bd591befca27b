#if Passkeys
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import Passkeys

extension PasskeyAuthenticatorTests {
    @Test("W-3: a challenge is answered once, and no answer finds another prompt")
    func replays() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let first = Mutex<(String, PasskeyAnswer)?>(nil)
        let ended = try await unlock(page) { page in
            let prompt = try #require(page.prompt)
            let answer = try page.device.answer(prompt)
            first.withLock { $0 = (prompt.id, answer) }
            #expect(page.authenticator.answer(answer, to: prompt.id, from: page.session))
            #expect(!page.authenticator.answer(answer, to: prompt.id, from: page.session))
        }
        #expect(ended == "key")
        let (id, answer) = try #require(first.withLock { $0 })
        let replayed = try await unlock(page) { page in
            #expect(!page.authenticator.answer(answer, to: id, from: page.session))
            page.answer(answer)
        }
        #expect(replayed == texts.failed)
        #expect(page.prompt == nil)
    }

    @Test("W-3: an answer of another session, or from before the app was locked anew, is refused")
    func sessions() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let stolen = try await unlock(page) { page in
            let prompt = try #require(page.prompt)
            let other = PasskeySession(id: "another", generation: page.session.generation)
            page.authenticator.answer(try page.device.answer(prompt), to: prompt.id, from: other)
        }
        #expect(stolen == texts.failed)
        let late = try await unlock(page) { page in
            page.lock()
            try page.use()
        }
        #expect(late == texts.failed)
        #expect(try await unlock(page) == "key")
    }

    @Test("W-3: a prompt ends after 60 seconds, and an answer that comes later finds none")
    func lifetime() async throws {
        let page = try page()
        #expect(await refusal(page) == nil)
        let asking = asking(page)
        try await BoundedWait.until("a prompt") { page.prompt != nil }
        await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(59))
        let prompt = try #require(page.prompt)
        await clock.advance(by: .seconds(1))
        #expect(text(await asking.value) == texts.tooLate)
        let answer = try device.answer(prompt)
        #expect(!page.authenticator.answer(answer, to: prompt.id, from: page.session))
    }

    @Test("W-3, P-14: an enrolment that was begun before a lock opens no prompt after it")
    func enrolmentBeforeLock() async throws {
        let page = try page(agrees: false)
        let first = Task { [key, user] in try await page.authenticator.enroll(key, for: user) }
        try await BoundedWait.until("a prompt") { page.authenticator.prompt != nil }
        // It waits for its turn.
        let second = Task { [key, user] in try await page.authenticator.enroll(key, for: user) }
        for _ in 0..<100 { await Task.yield() }
        page.lock()
        first.cancel()
        for task in [first, second] {
            let error = await #expect(throws: BiometricError.self) { try await task.value }
            #expect(error?.code == .passkeyPromptEnded)
        }
        #expect(page.authenticator.prompt == nil)
    }
}
#endif
