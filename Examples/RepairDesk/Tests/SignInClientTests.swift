import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import RepairShop
import Testing

@testable import repair_desk

@Suite("What the desk takes from a server")
struct SignInClientTests {
    private func client(_ status: Int, _ json: String) throws -> SignInClient {
        SignInClient(
            server: try #require(URL(string: "https://accounts.example")),
            transport: OneAnswer(status: status, json: json)
        )
    }

    private func text(_ status: Int, _ json: String) async throws -> String {
        let error = await #expect(throws: SignInError.self) {
            _ = try await client(status, json).requestCode("anna@example.com", as: .staff)
        }
        return try #require(error?.text)
    }

    @Test("P-51: of a problem's text a line of 200 characters is shown, and nothing that a terminal obeys")
    func longProblem() async throws {
        let long = String(repeating: "x", count: 60_000)
        #expect(try await text(400, #"{"detail":"\#(long)"}"#) == String(repeating: "x", count: 200))
        #expect(try await text(400, #"{"title":"a\nb\u001b[31m"}"#) == "a b\u{FFFD}[31m")
        #expect(try await text(418, #"{"title":""}"#) == "The server answered 418.")
    }

    @Test("P-51: so is the reason of a quarantine, and without one the account is put aside all the same")
    func longQuarantine() async throws {
        let token = SecretBytes(copying: "t0ken".utf8)
        for (told, shown) in [
            (String(repeating: "x", count: 60_000), String(repeating: "x", count: 200)),
            ("", "The server gave no reason."),
        ] {
            let json = #"{"id":"anna","role":"staff","quarantine":"\#(told)"}"#
            #expect(try await client(200, json).session(token).quarantine == shown)
        }
    }

    @Test(
        "P-51: with a token that cannot be sent nobody is signed in",
        arguments: ["", "a b", #"a\nb"#, "ä"]
    )
    func unusableToken(token: String) async throws {
        let json = #"{"token":"\#(token)","user":{"id":"anna","role":"staff"}}"#
        let client = try client(200, json)
        let request = AccountCodeRequest.random()
        let error = await #expect(throws: SignInError.self) {
            _ = try await client.signIn("anna@example.com", as: .staff, code: "000000", of: request)
        }
        guard case .misunderstood = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("P-9: servers that differ in their path's case are two, and scheme and host have none")
    func folders() {
        let folder = RepairDeskCommand.folder(for:)
        #expect(folder("https://accounts.example/Shop") != folder("https://accounts.example/shop"))
        #expect(folder("HTTPS://Accounts.Example/Shop") == folder("https://accounts.example/Shop"))
        #expect(folder("https://Accounts.Example:8443") == "https%3A%2F%2Faccounts.example%3A8443")
        #expect(folder("https://accounts.example?A") != folder("https://accounts.example?a"))
        // The file system may compare a folder's name without regard to case, so capital letters are encoded.
        #expect(!folder("https://accounts.example/Shop").contains("Shop"))
    }
}

/// A transport on which every request gets the same answer.
private struct OneAnswer: HTTPTransport {
    let status: Int
    let json: String

    func check(_ server: URL) throws(HTTPTransportError) {}

    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        HTTPTransportAnswer(
            status: status,
            fields: ["content-type": "application/json"],
            body: Data(json.utf8)
        )
    }
}
