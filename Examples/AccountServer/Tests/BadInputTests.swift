import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Bad input", .timeLimit(.minutes(5)))
struct BadInputTests {
    @Test("P-52: what cannot be understood is a 4xx with a problem document, and nothing happens")
    func malformed() async throws {
        try await ServerHouse.open { house in
            let client = house.client
            let token = try await house.signIn()
            _ = try await client.set("493817", token)
            let bodies: [(String, Int, String)] = [
                ("", 400, "malformed"), ("{", 400, "malformed"), ("[]", 400, "malformed"),
                ("null", 400, "malformed"),
                ("{}", 400, "malformed"), (#"{"passcode":493817}"#, 400, "malformed"),
                (#"{"passcode":null}"#, 400, "malformed"), (#"{"passcode":["4"]}"#, 400, "malformed"),
                (#"{"passcode":""}"#, 422, "bad-passcode"), (#"{"passcode":"49381"}"#, 422, "bad-passcode"),
                (#"{"passcode":"٤٩٣٨١٧"}"#, 422, "bad-passcode"),
                (#"{"passcode":"49381\u0000"}"#, 422, "bad-passcode"),
                (String(repeating: "[", count: 4_000), 400, "malformed"),
                (#"{"passcode":"\#(String(repeating: "4", count: 9_000))"}"#, 413, "too-large"),
            ]
            for (body, status, problem) in bodies {
                let reply = try await client.auth("verify-passcode", body, token: token)
                #expect(reply.status == status && reply.problem == problem, "\(body.prefix(40))")
            }
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            let reply = try await client.send(
                "POST",
                "/api/auth/verify-passcode",
                "passcode=493817",
                token: token,
                fields: form
            )
            #expect(reply.problem == "not-json")
            for body in [
                #"{"timeoutMinutes":-1}"#, #"{"timeoutMinutes":525601}"#, #"{"timeoutMinutes":"soon"}"#,
                #"{"hasPasscode":true}"#, #"{"timeoutMinutes":1.5}"#,
            ] {
                #expect(try await client.auth("update-settings", body, token: token).problem == "malformed")
            }
            for email in [
                "", "anna", "anna@", "@x", "a b@x.y", "-oQ/tmp@x.y", "a@x.y\\r\\nBcc: b@x.y", "a@@x",
                "a@x..y", "anna@\u{212A}.example",
            ] {
                let body = #"{"email":"\#(email)","role":"staff"}"#
                #expect(try await client.auth("request-sign-in", body).problem == "malformed", "\(email)")
            }
            #expect(try await client.auth("request-reset", "{}").problem == "malformed")
            #expect(try await client.verify("111111", token).json?["failures"] as? Int == 1)
        }
    }

    @Test("P-52: unknown paths and methods are told apart")
    func unknown() async throws {
        try await ServerHouse.open { house in
            for path in [
                "/", "/api", "/api/auth/verify-passcode/x", "/api/auth/Set-Passcode", "/../etc/passwd",
            ] {
                #expect(try await house.client.send("GET", path).problem == "not-found", "\(path)")
            }
            let reply = try await house.client.send("DELETE", "/api/auth/set-passcode")
            #expect(reply.problem == "wrong-method" && reply.fields["allow"] == "POST")
        }
    }

    @Test("P-52: what is no HTTP, or could be read in two ways, is a 400 and the end of the connection")
    func noHTTP() async throws {
        try await ServerHouse.open { house in
            let post = "POST /api/auth/sign-in HTTP/1.1\r\nHost: x\r\n"
            for text in [
                "\u{16}\u{3}\u{1} hello\r\n\r\n", "GET /health HTTP/1.1\r\nHost : x\r\n\r\n",
                post + "Content-Length: -5\r\n\r\n",
                post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                post + "X: \(String(repeating: "x", count: 20_000))\r\n\r\n",
                post + (0..<100).map { "X\($0): x\r\n" }.joined() + "\r\n",
            ] {
                let connection = try RawConnection(to: house.port)
                connection.send(text)
                #expect(await connection.rest().hasPrefix("HTTP/1.1 400 "), "\(text.prefix(80))")
            }
            #expect(try await house.client.send("GET", "/health").status == 200)
        }
    }

    @Test(
        "P-52: a client that stops in the middle of a body is let go; that is its fault, and nothing happens"
    )
    func cutBody() async throws {
        var settings = ServerSettings()
        settings.idleTimeout = .milliseconds(200)
        try await ServerHouse.open(settings) { house in
            let connection = try RawConnection(to: house.port)
            connection.send("POST /api/auth/request-sign-in HTTP/1.1\r\nHost: x\r\n")
            connection.send("Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            #expect(await connection.rest() == "")
            let line = #"route="/api/auth/request-sign-in",status="400"} 1"#
            while try await !house.client.send("GET", "/metrics").text.contains(line) {}
            #expect(!house.log.text.contains(#""level":"error""#))
        }
    }

    @Test("P-52: the document has every route, and every route that it has is there")
    func document() async throws {
        try await ServerHouse.open { house in
            #expect(house.client.operations.count == 18)
            for (method, path) in house.client.operations {
                let reply = try await house.client.send(method, path, method == "POST" ? "{}" : nil)
                #expect(![404, 405].contains(reply.status), "\(method) \(path)")
            }
        }
    }

    @Test("P-52: one address cannot send without end, and whoever watches is let in all the same")
    func floods() async throws {
        var settings = ServerSettings()
        settings.limit = AddressLimit(requests: 10, window: .seconds(60))
        try await ServerHouse.open(settings) { house in
            for _ in 0..<9 { _ = try await house.client.send("GET", "/api/auth/session") }
            #expect(try await house.client.send("GET", "/api/auth/session").problem == "throttled")
            #expect(try await house.client.send("GET", "/health").status == 200)
            #expect(try await house.client.send("GET", "/metrics").status == 200)
        }
    }

    @Test("P-4: nothing secret is logged, at any level")
    func logs() async throws {
        try await ServerHouse.open { house in
            let client = house.client
            let token = try await house.signIn()
            _ = try await client.set("493817", token)
            _ = try await client.verify("493817", token)
            _ = try await client.verify("505152", token)
            _ = try await client.auth("verify-passcode", #"{"passcode":493817}"#, token: token)
            _ = try await client.auth("verify-passcode", #"493817"#, token: token)
            _ = try await client.send("GET", "/493817/\(token)")
            _ = try await client.auth(
                "change-passcode",
                #"{"current":"493817","new":"270954","revision":"r2"}"#,
                token: token
            )
            let mails = try await house.mails()
            let request = try await client.auth("request-reset", "{}", token: token).request
            let code = try await house.tray.code(after: mails)
            let reset = #"{"code":"\#(code)","request":"\#(request)","new":"606162","revision":"r3"}"#
            #expect(try await client.auth("reset-passcode", reset, token: token).outcome == "reset")
            let log = house.log.text
            #expect(log.contains("/api/auth/reset-passcode"))
            for secret in [token, "493817", "505152", "270954", "606162", code, request, "anna"] {
                #expect(!log.contains(secret), "\(secret)")
            }
        }
    }

    @Test("P-52: the numbers count requests by route and status")
    func metrics() async throws {
        try await ServerHouse.open { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            _ = try await house.client.send("GET", "/nowhere")
            // A mail counts as sent after it has arrived.
            _ = try await house.mails()
            let text = try await house.client.send("GET", "/metrics").text
            for line in [
                #"account_server_requests_total{method="POST",route="/api/auth/set-passcode",status="200"} 1"#,
                #"account_server_requests_total{method="other",route="unknown",status="404"} 1"#,
                #"account_server_mails_total{result="sent"} 1"#,
                "account_server_derivations 0",
            ] {
                #expect(text.contains(line + "\n"), "\(line)")
            }
        }
    }
}
