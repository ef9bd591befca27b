#if Passkeys
import PortcullisCore
import PortcullisTesting
import Testing

@testable import Passkeys

extension PasskeyAuthenticatorTests {
    @Test(
        "W-3: passkeys of several devices open the same key; one that is given anew drops those of the one before"
    )
    func severalDevices() async throws {
        let phone = SoftwareAuthenticator()
        let (desk, pocket) = (try page(), try page(phone, name: "pocket"))
        #expect(await refusal(desk) == nil)
        #expect(await refusal(pocket) == nil)
        #expect(try await record()?.passkeys.count == 2)
        for page in [desk, pocket, desk] { #expect(try await unlock(page) == "key") }
        try await desk.authenticator.enroll(SecretBytes(randomCount: 32), for: user)
        #expect(try await record()?.passkeys.count == 1)
        #expect(try await unlock(pocket) == "cancelled by user")
        #expect(try await unlock(desk) == "another key")
    }

    @Test("W-3: more than 16 passkeys are not kept; the oldest goes")
    func limit() async throws {
        let pages = try (0..<18).map { try page(SoftwareAuthenticator(), name: "\($0)") }
        for page in pages { #expect(await refusal(page) == nil) }
        #expect(try await record()?.passkeys.count == 16)
        #expect(try await unlock(pages[17]) == "key")
        #expect(try await unlock(pages[0]) == "cancelled by user")
    }

    @Test("W-3: a device that has a passkey for the key gets no second one")
    func alreadyThere() async throws {
        let page = try page()
        for _ in 0..<3 { #expect(await refusal(page) == nil) }
        #expect(device.ids.count == 1)
        #expect(try await unlock(page) == "key")
        // Dropped while the browser was asked: the device's own passkey opens nothing more.
        let manual = try self.page(name: "manual", agrees: false)
        let enrolling = Task { await refusal(manual) }
        try await BoundedWait.until("a prompt") { manual.authenticator.prompt != nil }
        let prompt = try #require(manual.authenticator.prompt)
        try await page.authenticator.forget(user)
        manual.authenticator.answer(try device.answer(prompt), to: prompt.id, from: manual.session)
        #expect(await enrolling.value?.code == .passkeyPromptEnded)
        // Nothing was excluded, so a page that says so is not believed.
        device.behaviour.denies = true
        let second = Task { await refusal(manual) }
        try await BoundedWait.until("a prompt") { manual.authenticator.prompt != nil }
        manual.authenticator.answer(
            .alreadyThere,
            to: try #require(manual.authenticator.prompt?.id),
            from: manual.session
        )
        #expect(await second.value?.code == .passkeyPromptEnded)
        #expect(try await record() == nil)
    }

    @Test("W-3: two sessions that unlock at once both open, and so does the next one")
    func atOnce() async throws {
        device.behaviour.step = 1
        let pages = [try page(), try page(name: "another")]
        #expect(await refusal(pages[0]) == nil)
        for _ in 0..<20 {
            let askings = pages.map(asking)
            for page in pages { try await BoundedWait.until("a prompt") { page.prompt != nil } }
            // The device is asked twice before either page tells.
            let answers = try pages.map { try device.answer(try #require($0.prompt)) }
            for (page, answer) in zip(pages, answers) {
                page.answer(answer)
                #expect(text(await askings[page === pages[0] ? 0 : 1].value) == "key")
            }
        }
        #expect(try await unlock(pages[1]) == "key")
    }

    @Test(
        "W-3: of two answers of a device that counts, the one that it gave first opens nothing once the other has opened"
    )
    func order() async throws {
        for step in [1, 0] {
            device.behaviour.step = step
            let pages = [try page(), try page(name: "another")]
            #expect(await refusal(pages[0]) == nil)
            let askings = pages.map(asking)
            for page in pages { try await BoundedWait.until("a prompt") { page.prompt != nil } }
            let answers = try pages.map { try device.answer(try #require($0.prompt)) }
            pages[1].answer(answers[1])
            #expect(text(await askings[1].value) == "key")
            pages[0].answer(answers[0])
            #expect(text(await askings[0].value) == (step == 1 ? texts.counterWentBack : "key"))
            #expect(try await unlock(pages[0]) == "key")
            try await pages[0].authenticator.forget(user)
        }
    }

    @Test(
        "W-3: a key that was given anew meanwhile is not replaced by the one before, also where a device uses an id twice"
    )
    func replacedMeanwhile() async throws {
        device.behaviour.id = [1, 2, 3]
        let pages = [try page(), try page(name: "another")]
        #expect(await refusal(pages[0]) == nil)
        let asking = asking(pages[0])
        try await BoundedWait.until("a prompt") { pages[0].prompt != nil }
        let answer = try device.answer(try #require(pages[0].prompt))
        try await pages[1].authenticator.enroll(SecretBytes(randomCount: 32), for: user)
        let kept = try await record()
        pages[0].answer(answer)
        #expect(text(await asking.value) == texts.unknownPasskey)
        #expect(try await record() == kept)
        #expect(try await unlock(pages[1]) == "another key")
    }
}
#endif
