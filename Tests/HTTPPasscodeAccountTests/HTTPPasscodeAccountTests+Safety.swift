import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Testing

/// Where a passcode is sent to, and what an error tells.
extension HTTPPasscodeAccountTests {
    @Test(
        "P-50: passcodes go over TLS, or to this machine",
        arguments: [
            ("https://accounts.example", true), ("http://127.0.0.1:8080", true), ("http://localhost", true),
            ("http://[::1]:80", true), ("http://accounts.example", false),
            ("http://127.0.0.1.example", false),
            ("http://localhost.evil", false), ("http://localhost@evil.example", false),
            ("http://127.0.0.1:80@evil.example", false),
            ("http://[::ffff:127.0.0.1]", false), ("http://127.1", false), ("http://2130706433", false),
            ("http://:pw@localhost", false),
            ("ftp://localhost", false), ("https://user@accounts.example", false), ("https:///x", false),
            ("https://accounts.example?x", false), ("https://127.0.0.1:65535", true),
            ("https://127.0.0.1:65536", false), ("https://[::1]:99999", false),
            ("https://accounts.example:0", false),
        ]
    )
    func addresses(_ address: String, _ isFine: Bool) throws {
        func make(_ configuration: HTTPAccountConfiguration) throws(PasscodeAccountError) {
            _ = try HTTPPasscodeAccount(
                server: URL(string: address)!,
                transport: URLSessionTransport(environment: [:]),
                configuration: configuration,
                clock: ManualClock(),
                token: { nil }
            )
        }
        if isFine {
            try make(HTTPAccountConfiguration())
        } else {
            #expect(throws: PasscodeAccountError.self) { try make(HTTPAccountConfiguration()) }
        }
        if address == "http://accounts.example" { try make(HTTPAccountConfiguration(allowsPlainHTTP: true)) }
    }

    #if canImport(FoundationNetworking)
    @Test(
        "P-50: plain HTTP to this machine is refused where the environment leads it to a proxy",
        arguments: [
            (["http_proxy": "http://proxy.example:3128"], false),
            (["all_proxy": "socks5://proxy.example"], false), (["ALL_PROXY": "proxy.example"], false),
            (["http_proxy": "http://proxy.example", "no_proxy": "localhost.evil,evil.localhost"], false),
            (["http_proxy": "http://proxy.example", "no_proxy": "example, LOCALHOST"], true),
            (["http_proxy": "http://proxy.example", "NO_PROXY": "*"], true),
            (["HTTP_PROXY": "http://proxy.example", "https_proxy": "http://proxy.example"], true),
            (["http_proxy": ""], true), ([:], true),
        ]
    )
    func proxies(_ environment: [String: String], _ isFine: Bool) throws {
        func make(_ address: String) throws(PasscodeAccountError) {
            _ = try HTTPPasscodeAccount(
                server: URL(string: address)!,
                transport: URLSessionTransport(environment: environment),
                clock: ManualClock(),
                token: { nil }
            )
        }
        if isFine {
            try make("http://localhost:8080")
        } else {
            #expect(throws: PasscodeAccountError.self) { try make("http://localhost:8080") }
        }
        // TLS goes through a proxy unseen.
        try make("https://localhost")
    }
    #endif

    @Test(
        "P-50: without a token, or with one that would break out of its field, nothing is sent",
        arguments: AccountTransport.allCases
    )
    func tokens(_ kind: AccountTransport) async throws {
        try await serving(over: kind) { server, transport in
            for token in [nil, "", "a b", "a\r\nX-Evil: 1", "ü"] {
                let account = try account(server, transport, token: token)
                #expect(await codeOfStatus(account) == .notSignedIn)
            }
            #expect(server.arrivals.isEmpty)
        }
    }

    @Test("P-4: no error tells a passcode or the token", arguments: AccountTransport.allCases)
    func errorsTellNothing(_ kind: AccountTransport) async throws {
        try await serving(over: kind, .hangUp, .answer(500, ""), .answer(400, ""), .answer(200, "493817")) {
            server,
            transport in
            let account = try account(server, transport)
            for _ in 0..<4 {
                do throws(PasscodeAccountError) { _ = try await account.verify(secret("493817")) } catch {
                    let text = "\(error) \(String(reflecting: error))"
                    #expect(!text.contains("493817") && !text.contains(Self.token))
                }
            }
        }
    }
}
