#if Passkeys
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

@testable import Passkeys

@Suite("What a page gets and sends (W-3)")
struct PasskeyPageTests {
    private func prompt(_ request: PasskeyPrompt.Request, name: String = "Ledger") throws -> PasskeyPrompt {
        PasskeyPrompt(
            id: "id",
            user: .device,
            isEnrolment: true,
            reason: "",
            fallbackTitle: nil,
            site: try RelyingParty(id: "example.org", name: name, origins: ["https://example.org"]),
            challenge: Array(0..<32),
            request: request
        )
    }

    private func object(_ json: String) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
    }

    @Test("W-3: options to make a passkey: three algorithms, verification, no attestation, the PRF extension")
    func creation() throws {
        let name = "</script><b>\"A & B\"\u{2028}"
        let prompt = try prompt(
            .create(userHandle: [1, 2, 3], accountName: name, excluding: [[9]]),
            name: name
        )
        #expect(prompt.ceremony == .registration)
        #expect(!prompt.optionsJSON.contains("<") && !prompt.optionsJSON.contains("\u{2028}"))
        let wanted: NSDictionary = [
            "rp": ["id": "example.org", "name": name],
            "user": ["id": "AQID", "name": name, "displayName": name],
            "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "pubKeyCredParams": [-7, -8, -257].map { ["type": "public-key", "alg": $0] as [String: Any] },
            "timeout": 60_000,
            "excludeCredentials": [["type": "public-key", "id": "CQ"]],
            "authenticatorSelection": ["residentKey": "preferred", "userVerification": "required"],
            "attestation": "none",
            "extensions": ["prf": [String: Any]()],
        ]
        #expect(try object(prompt.optionsJSON) == wanted)
    }

    @Test("W-3: options to use one: each passkey with its own salt first and the fresh one second")
    func use() throws {
        let prompt = try prompt(.use([.init(id: [1], salt: [2]), .init(id: [3], salt: [4])], freshSalt: [5]))
        #expect(prompt.ceremony == .authentication)
        let wanted: NSDictionary = [
            "rpId": "example.org",
            "challenge": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "timeout": 60_000,
            "userVerification": "required",
            "allowCredentials": ["AQ", "Aw"].map { ["type": "public-key", "id": $0] },
            "extensions": [
                "prf": [
                    "evalByCredential": [
                        "AQ": ["first": "Ag", "second": "BQ"], "Aw": ["first": "BA", "second": "BQ"],
                    ]
                ]
            ],
        ]
        #expect(try object(prompt.optionsJSON) == wanted)
    }

    private func answer(_ json: String) -> Result<PasskeyAnswer, WebAuthnError> {
        Result { () throws(WebAuthnError) in try PasskeyAnswer(json: SecretBytes(copying: json.utf8)) }
    }

    private func used(_ results: String, handle: String = "\"BA\"") -> String {
        """
        {"id":"AQ","rawId":"AQ","type":"public-key","authenticatorAttachment":"platform",
         "response":{"clientDataJSON":"Ag","authenticatorData":"Aw","signature":"BQ","userHandle":\(handle)},
         "clientExtensionResults":{"prf":\(results)}}
        """
    }

    @Test("W-3: what a browser's toJSON gives is taken, with both outputs as secrets")
    func uses() throws {
        let results =
            "{\"results\":{\"first\":\"\(Base64URL.text(1...32))\",\"second\":\"\(Base64URL.text(2...33))\"}}"
        guard case .used(let assertion, let outputs) = try answer(used(results)).get() else {
            Issue.record("it is no use of a passkey")
            return
        }
        let wanted = PasskeyAssertion(
            credentialID: [1],
            clientDataJSON: [2],
            authenticatorData: [3],
            signature: [5],
            userHandle: [4]
        )
        #expect(assertion == wanted)
        #expect(try #require(outputs).first.matches(SecretBytes(copying: 1...32)))
        #expect(try #require(outputs).second.matches(SecretBytes(copying: 2...33)))
        for without in [
            "{}", "null", "{\"results\":{}}", "{\"results\":{\"first\":\"AA\"}}",
            "{\"results\":{\"first\":\"AA\",\"second\":null}}",
        ] {
            guard case .used(let assertion, nil) = try answer(used(without, handle: "null")).get() else {
                Issue.record("it is no use of a passkey without outputs: \(without)")
                continue
            }
            #expect(assertion.userHandle == nil)
        }
    }

    @Test("W-3: what a browser's toJSON gives of a passkey that was made is taken")
    func creations() throws {
        for (extensions, hasPRF) in [
            ("{\"prf\":{\"enabled\":true}}", true), ("{\"prf\":{\"enabled\":false}}", false), ("{}", nil),
        ] {
            let json = """
                {"rawId":"AQ","response":{"clientDataJSON":"Ag","attestationObject":"Aw","transports":["internal"]},
                 "clientExtensionResults":\(extensions)}
                """
            guard case .created(let made) = try answer(json).get() else {
                Issue.record("no passkey was made")
                continue
            }
            #expect(made.credentialID == [1] && made.clientDataJSON == [2] && made.attestationObject == [3])
            #expect(made.hasPRF == hasPRF)
        }
    }

    @Test("W-3: an exception's name tells how the prompt ended")
    func exceptions() throws {
        guard case .cancelled = try answer("{\"error\":\"NotAllowedError\"}").get(),
            case .withdrawn = try answer("{\"error\":\"AbortError\"}").get(),
            case .alreadyThere = try answer("{\"error\":\"InvalidStateError\"}").get(),
            case .failed = try answer("{\"error\":\"SecurityError\"}").get()
        else {
            Issue.record("an exception ended otherwise")
            return
        }
    }

    @Test("W-3: everything else is refused, and no refusal tells an output")
    func malformed() throws {
        let secret = Base64URL.text(Array("a secret output of the PRF, bytes".utf8))
        for json in [
            "", "[]", "{}", "{\"error\":1}", "{\"error\":\"\\u0041\"}", "{\"error\":\"\u{7F}",
            "{\"response\":{}}",
            "{\"rawId\":\"AQ\",\"response\":{\"clientDataJSON\":\"Ag\"}}",
            "{\"rawId\":\"A\",\"response\":{\"clientDataJSON\":\"Ag\",\"attestationObject\":\"Aw\"}}",
            used("{}", handle: "5"), used("{}", handle: "\"=\""),
            used("{\"results\":{\"first\":\"\(secret)\",\"second\":\"\(secret)=\"}}"),
            used("{\"results\":{\"first\":\"\(secret)\",\"second\":5}}"),
            used("{\"results\":{\"first\":\"\(secret)\",\"second\":\"\(secret)\"}"),
            used("{\"results\":{\"first\":\"\(secret)\",\"first\":\"\(secret)\"}}"),
        ] {
            let refused = answer(json)
            #expect(refused.code == .malformedResponse, "\(json)")
            guard case .failure(let error) = refused else { continue }
            var said = "\(error) \(String(reflecting: error))"
            dump(error, to: &said)
            #expect(!said.contains(secret.prefix(8)))
        }
    }

    @Test("W-3: no description of an answer, an output or the authenticator tells an output")
    func descriptions() async throws {
        let bytes = Array("an output of PRF that is secret!".utf8)
        let outputs = PasskeyOutputs(
            first: SecretBytes(copying: bytes),
            second: SecretBytes(copying: bytes.reversed())
        )
        let assertion = PasskeyAssertion(
            credentialID: [],
            clientDataJSON: [],
            authenticatorData: [],
            signature: [],
            userHandle: nil
        )
        let answer = PasskeyAnswer.used(assertion, outputs)
        var said = "\(outputs) \(answer) \(String(reflecting: answer))"
        dump(answer, to: &said)
        for telling in ["an output", "97, 110, 32", "616e206f", String(Base64URL.text(bytes).prefix(12))] {
            #expect(!said.contains(telling))
        }
    }
}
#endif
