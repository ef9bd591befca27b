#if Passkeys
import PortcullisCore
import PortcullisTesting
import Testing

@testable import Passkeys

@Suite("Challenges (W-3)")
struct ChallengeTests {
    private let session = PasskeySession(id: "a secret cookie", generation: 3)
    private let start = Moment(wall: .seconds(1_000), sinceBoot: .seconds(50), boot: BootID("one"))

    private func challenge(seed: Int = 1) -> PasskeyChallenge {
        var numbers = SeededNumbers(seed: seed)
        return PasskeyChallenge(for: .authentication, session: session, at: start, using: &numbers)
    }

    private func spend(
        _ open: inout OpenChallenge,
        on ceremony: PasskeyCeremony = .authentication,
        from session: PasskeySession? = nil,
        at moment: Moment? = nil
    ) -> WebAuthnErrorCode? {
        do throws(WebAuthnError) {
            _ = try open.spend(on: ceremony, from: session ?? self.session, at: moment ?? start)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("W-3: a challenge is 32 bytes, another each time")
    func bytes() {
        #expect(challenge().bytes.count == 32)
        #expect(challenge().bytes == challenge().bytes)
        #expect(challenge(seed: 2).bytes != challenge().bytes)
    }

    @Test("W-3: it is answered once, and then spent, whatever becomes of the answer")
    func once() {
        var open = OpenChallenge()
        #expect(spend(&open) == .challengeSpent)
        open.open(challenge())
        #expect(spend(&open) == nil)
        #expect(spend(&open) == .challengeSpent)
        open.open(challenge())
        #expect(spend(&open, on: .registration) == .wrongCeremony)
        #expect(spend(&open) == .challengeSpent)
        open.open(challenge())
        open.close()
        #expect(spend(&open) == .challengeSpent)
    }

    @Test("W-3: it holds for 60 seconds of this boot")
    func lifetime() {
        func at(_ seconds: Int) -> WebAuthnErrorCode? {
            var open = OpenChallenge()
            open.open(challenge())
            return spend(&open, at: start.advanced(by: .seconds(seconds)))
        }
        #expect(at(0) == nil)
        #expect(at(60) == nil)
        #expect(at(61) == .challengeExpired)
        #expect(at(-1) == .challengeExpired, "a moment before it was given out")
        var open = OpenChallenge()
        open.open(challenge())
        let restarted = Moment(wall: start.wall, sinceBoot: start.sinceBoot, boot: BootID("two"))
        #expect(spend(&open, at: restarted) == .challengeExpired)
        open.open(challenge())
        var wound = start
        wound.wall -= .seconds(3_600)
        #expect(spend(&open, at: wound) == nil, "the clock on the wall does not count")
    }

    @Test("W-3: it is bound to the session and to the lock's generation")
    func binding() {
        var open = OpenChallenge()
        open.open(challenge())
        #expect(spend(&open, from: PasskeySession(id: "another", generation: 3)) == .otherSession)
        open.open(challenge())
        #expect(spend(&open, from: PasskeySession(id: session.id, generation: 4)) == .otherGeneration)
        open.open(challenge())
        #expect(spend(&open, from: PasskeySession(id: session.id, generation: 2)) == .otherGeneration)
    }

    @Test("W-3: no description tells the session's name")
    func descriptions() {
        var said = "\(session) \(challenge()) "
        dump(session, to: &said)
        dump(challenge(), to: &said)
        said += String(reflecting: challenge())
        #expect(!said.contains(session.id))
    }

    @Test(
        "W-3: a site's id is a domain, and its origins are of it",
        arguments: [
            ("example.org", "https://example.org", true),
            ("example.org", "https://a.b.example.org:8443", true),
            ("localhost", "http://localhost:8080", true), ("localhost", "https://localhost", true),
            ("example.org", "http://example.org", false), ("example.org", "https://example.org/", false),
            ("example.org", "https://notexample.org", false), ("example.org", "https://example.org:0", false),
            ("example.org", "https://example.org:", false), ("example.org", "https://example.org:08", false),
            ("example.org", "https://example.org:65536", false),
            ("example.org", "https://a@example.org", false),
            ("example.org", "example.org", false), ("example.org", "https://", false),
            ("Example.org", "https://Example.org", false),
            ("", "https://", false), ("example..org", "https://example..org", false),
            ("ex ample", "https://ex ample", false),
        ]
    )
    func sites(_ id: String, _ origin: String, _ isSite: Bool) {
        let site = try? RelyingParty(id: id, name: "", origins: [origin])
        #expect((site != nil) == isSite)
        #expect((try? RelyingParty(id: id, name: "", origins: [])) == nil)
    }
}
#endif
