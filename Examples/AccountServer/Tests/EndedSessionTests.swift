import AccountService
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Acts whose session ends meanwhile", .timeLimit(.minutes(2)))
struct EndedSessionTests {
    private static let administrator = String(repeating: "t", count: 32)

    private var settings: ServerSettings {
        var settings = ServerSettings()
        settings.administratorToken = SecretBytes(copying: Self.administrator.utf8)
        return settings
    }

    /// Has an administrator change Anna's account.
    private func administer(_ house: ServerHouse, _ members: String) async throws {
        let path = "/api/admin/update-account"
        let body = #"{"id":"anna",\#(members)}"#
        let reply = try await house.client.send("POST", path, body, token: Self.administrator)
        #expect(reply.outcome == "updated")
    }

    @Test(
        "P-52: a request that is whole only after its session has ended is not carried out",
        arguments: [
            ("set-passcode", #"{"passcode":"270954","revision":"r2"}"#),
            ("change-passcode", #"{"current":"493817","new":"270954","revision":"r2"}"#),
            ("verify-passcode", #"{"passcode":"111111"}"#),
            ("update-settings", #"{"hasPasscode":false,"current":"493817","revision":"r2"}"#),
            ("update-settings", #"{"timeoutMinutes":5}"#),
        ]
    )
    func slowBody(_ name: String, _ body: String) async throws {
        try await ServerHouse.open { house in
            let (own, other) = (try await house.signIn(), try await house.signIn())
            _ = try await house.client.set("493817", other)
            let connection = try RawConnection(to: house.port)
            connection.send(
                "POST /api/auth/\(name) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(own)\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            )
            // The head has arrived.
            #expect(await connection.some() == "HTTP/1.1 100 Continue\r\n\r\n")
            _ = try await house.client.send("GET", "/health")
            let ended = try await house.client.send("POST", "/api/auth/log-out-everywhere", token: other)
            #expect(ended.status == 204)
            connection.send(body)
            #expect(await connection.rest().contains("urn:portcullis:problem:not-signed-in"))
            let new = try await house.signIn()
            let status = try await house.client.status(new)
            #expect(status.json?["revision"] as? String == "r1")
            #expect(status.json?["timeoutMinutes"] as? Int == 15)
            let wrong = try await house.client.verify("111111", new)
            #expect(wrong.json?["failures"] as? Int == 1)
            #expect(try await house.client.verify("493817", new).outcome == "right")
        }
    }

    @Test(
        "P-40, P-52: an act is not carried out if its session ends or its account is restricted meanwhile",
        arguments: [
            (#""endSessions":true"#, "not-signed-in"), (#""passcodesEnabled":false"#, "passcodes-disabled"),
            (#""quarantine":"Call us.""#, "quarantined"), (nil, "not-signed-in"),
        ] as [(String?, String)]
    )
    func endedWhileDeriving(_ restriction: String?, _ problem: String) async throws {
        let set = #"{"passcode":"270954","revision":"r2"}"#
        let change = #"{"current":"493817","new":"270954","revision":"r2"}"#
        for (name, body, left) in [("set-passcode", set, "notSet"), ("change-passcode", change, "right")] {
            try await ServerHouse.open(settings) { house in
                let token = try await house.signIn()
                if left == "right" { _ = try await house.client.set("493817", token) }
                house.sealer.gate.close()
                async let reply = house.client.auth(name, body, token: token)
                await house.sealer.gate.waitForHeld(1)
                if let restriction {
                    try await administer(house, restriction)
                } else {
                    let ended = try await house.client.send("POST", "/api/auth/log-out", token: token)
                    #expect(ended.status == 204)
                }
                house.sealer.gate.open()
                #expect(try await reply.problem == problem)
                try await administer(house, #""passcodesEnabled":true,"quarantine":null"#)
                let new = try await house.signIn()
                #expect(try await house.client.verify("493817", new).outcome == left)
            }
        }
    }

    @Test("P-52: a passcode is not checked if the session ends while the request waits for its turn")
    func endedWhileWaiting() async throws {
        try await ServerHouse.open { house in
            let (own, other) = (try await house.signIn(), try await house.signIn())
            _ = try await house.client.set("493817", other)
            house.sealer.gate.close()
            async let first = house.client.verify("493817", other)
            await house.sealer.gate.waitForHeld(1)
            async let second = house.client.verify("111111", own)
            let waits = "\naccount_server_derivations 2\n"
            while try await !house.client.send("GET", "/metrics").text.contains(waits) {}
            let ended = try await house.client.send("POST", "/api/auth/log-out", token: own)
            #expect(ended.status == 204)
            house.sealer.gate.open()
            #expect(try await first.outcome == "right")
            #expect(try await second.problem == "not-signed-in")
            let wrong = try await house.client.verify("111111", other)
            #expect(wrong.json?["failures"] as? Int == 1)
        }
    }

    @Test("P-40, P-52: a reset without a session is refused if the person is held back meanwhile")
    func heldBackMeanwhile() async throws {
        try await ServerHouse.open(settings) { house in
            let who = #""email":"anna@example.com","role":"staff""#
            let before = try await house.mails()
            let request = try await house.client.auth("request-reset", "{\(who)}").request
            let code = try await house.tray.code(after: before)
            let sent = #""code":"\#(code)","request":"\#(request)","new":"606162","revision":"r1""#
            house.sealer.gate.close()
            async let reply = house.client.auth("reset-passcode", "{\(who),\(sent)}")
            await house.sealer.gate.waitForHeld(1)
            try await administer(house, #""quarantine":"Call us.""#)
            house.sealer.gate.open()
            #expect(try await reply.outcome == "refused")
            try await administer(house, #""quarantine":null"#)
            let token = try await house.signIn()
            #expect(try await house.client.status(token).json?["hasPasscode"] as? Bool == false)
        }
    }
}
