import AccountService
import Testing

@Suite("Connections and paths", .timeLimit(.minutes(2)))
struct ConnectionTests {
    private static let signIn = "POST /api/auth/request-sign-in HTTP/1.1\r\nHost: x\r\n"

    /// Sends a whole request on a connection of its own, and returns the answer.
    private func exchange(_ house: ServerHouse, _ text: String) async throws -> String {
        let connection = try RawConnection(to: house.port)
        connection.send(text)
        return await connection.rest()
    }

    private func request(_ method: String, _ path: String, _ body: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Other spellings of a path, which a router might accept.
    private func variants(of path: String) -> [String] {
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        let folder = path.dropLast(last.count)
        return [
            "\(path)/", "\(path)//", "/\(path)", "\(folder)/\(last)", "\(folder)./\(last)", "\(path)/.",
            "\(folder)x/../\(last)", "\(path)%20", "\(path);a=b", "\(path)%2F", "\(folder)%2e/\(last)",
            "\(folder)%\(String(last.utf8.first ?? 0x61, radix: 16))\(last.dropFirst())", path.uppercased(),
            "/\(folder.dropFirst().dropLast())%2f\(last)", "\(folder)\\\(last)", "\(path)%00",
        ]
    }

    @Test(
        "P-52: an answer to HEAD has no body, which would be taken for the next answer",
        arguments: ["/api/auth/session", "/health", "/none"]
    )
    func head(path: String) async throws {
        try await ServerHouse.open { house in
            let answer = try await exchange(house, request("HEAD", path))
            #expect(answer.hasPrefix("HTTP/1.1 ") && answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test(
        "P-52: behind a request for another protocol nothing is taken in, and the connection ends",
        arguments: ["GET /health HTTP/1.1\r\nUpgrade: x\r\nConnection: upgrade", "CONNECT x:1 HTTP/1.1"]
    )
    func upgrade(request: String) async throws {
        try await ServerHouse.open { house in
            let connection = try RawConnection(to: house.port)
            connection.send("\(request)\r\nHost: x\r\n\r\n")
            let answer = await connection.rest()
            #expect(answer.hasPrefix(request.hasPrefix("GET") ? "HTTP/1.1 200 " : "HTTP/1.1 400 "))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("P-52: the answer that there were too many requests is the connection's last")
    func lastAnswer() async throws {
        var settings = ServerSettings()
        settings.limit.requests = 2
        try await ServerHouse.open(settings) { house in
            let connection = try RawConnection(to: house.port)
            connection.send(
                String(repeating: "GET /api/auth/session HTTP/1.1\r\nHost: x\r\n\r\n", count: 50)
            )
            let answers = await connection.rest()
            let statuses = answers.matches(of: #/HTTP/1.1 (\d+)/#).map { String($0.1) }
            #expect(statuses.last == "429" && statuses.count { $0 == "429" } == 1)
        }
    }

    @Test("P-52: every path has one spelling; all others are a 404")
    func spellings() async throws {
        var settings = ServerSettings()
        settings.limit.requests = 10_000
        try await ServerHouse.open(settings) { house in
            for (method, path) in house.client.operations {
                for variant in variants(of: path) {
                    let answer = try await exchange(house, request(method, variant, "{}"))
                    #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(method) \(variant)")
                    #expect(answer.contains("urn:portcullis:problem:not-found"), "\(method) \(variant)")
                }
            }
            // A query is no part of the path.
            let answer = try await exchange(house, request("GET", "/health?x=1"))
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("P-52: no spelling of a path gets around the limits, and the log knows the route")
    func limits() async throws {
        var settings = ServerSettings()
        settings.codeLimit.requests = 4
        try await ServerHouse.open(settings) { house in
            let body = #"{"email":"anna@example.com","role":"staff"}"#
            var taken = 0
            for path in ["/api/auth/request-sign-in"] + variants(of: "/api/auth/request-sign-in") {
                let answer = try await exchange(house, request("POST", path, body))
                if answer.hasPrefix("HTTP/1.1 202 ") { taken += 1 }
            }
            #expect(taken == 1)
            #expect(house.log.text.contains(#""route":"/api/auth/request-sign-in""#))
        }
    }

    @Test("P-52: a request has a deadline, however many bytes come meanwhile")
    func deadline() async throws {
        var settings = ServerSettings()
        // Long enough for the client's own first request on a busy machine.
        settings.requestTimeout = .seconds(5)
        try await ServerHouse.open(settings) { house in
            let connection = try RawConnection(to: house.port)
            connection.send(Self.signIn + "Content-Type: application/json\r\nContent-Length: 8000\r\n\r\n{")
            let drip = Task {
                while !Task.isCancelled {
                    connection.send(" ")
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            let answer = await connection.rest()
            drip.cancel()
            #expect(
                answer == "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
        }
    }

    @Test("P-52: a request that stands still is answered before its connection is closed for it")
    func silent() async throws {
        var settings = ServerSettings()
        #expect(settings.requestTimeout < settings.idleTimeout)
        settings.requestTimeout = .seconds(5)
        settings.idleTimeout = .seconds(10)
        try await ServerHouse.open(settings) { house in
            let connection = try RawConnection(to: house.port)
            connection.send(Self.signIn + "Content-Length: 8\r\n\r\n{")
            #expect(await connection.rest().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test("P-52: a client that waits for the go-ahead before its body gets it")
    func goAhead() async throws {
        try await ServerHouse.open { house in
            let body = #"{"email":"anna@example.com","role":"staff"}"#
            let connection = try RawConnection(to: house.port)
            connection.send(
                Self.signIn + "Connection: close\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-Continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            )
            #expect(await connection.some() == "HTTP/1.1 100 Continue\r\n\r\n")
            connection.send(body)
            #expect(await connection.rest().hasPrefix("HTTP/1.1 202 "))
        }
    }

    @Test(
        "P-52: slow requests of one network take the connections of no other, behind a proxy or not",
        arguments: [true, false]
    )
    func requestsOfNetwork(trustsForwarded: Bool) async throws {
        var settings = ServerSettings()
        settings.requestsOfNetwork = 3
        settings.trustsForwarded = trustsForwarded
        try await ServerHouse.open(settings) { house in
            func head(_ network: String, _ length: Int) -> String {
                Self.signIn + "X-Forwarded-For: \(network)\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
            }
            var slow: [RawConnection] = []
            var (answer, pause) = ("", Duration.milliseconds(50))
            while !answer.hasPrefix("HTTP/1.1 429 ") {
                // The last request may have arrived before a slow one and taken its place. So all slow ones
                // are sent again.
                slow = try (0..<3).map { _ in try RawConnection(to: house.port) }
                for connection in slow { connection.send(head("192.0.2.1", 8_000) + "{") }
                // It takes a while until all of them are under way.
                try await Task.sleep(for: pause)
                answer = try await exchange(house, head("192.0.2.1", 2) + "{}")
                pause *= 2
            }
            #expect(answer.contains("Connection: close\r\n") && answer.contains("Retry-After: 1\r\n"))
            let other = try await exchange(house, head("192.0.2.2", 2) + "{}")
            #expect(other.hasPrefix(trustsForwarded ? "HTTP/1.1 400 " : "HTTP/1.1 429 "))
            // After one slow request has ended, there is room for another one.
            slow[0].send("}" + String(repeating: " ", count: 7_998))
            #expect(await slow[0].rest().hasPrefix("HTTP/1.1 400 "))
            #expect(try await exchange(house, head("192.0.2.1", 2) + "{}").hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("P-52: an answer before the end of the request is the connection's last")
    func earlyAnswer() async throws {
        try await ServerHouse.open { house in
            let connection = try RawConnection(to: house.port)
            connection.send("POST /api/auth/verify-passcode HTTP/1.1\r\nHost: x\r\n")
            connection.send("Authorization: Bearer x\r\nContent-Length: 8000\r\n\r\n{")
            let drip = Task {
                while !Task.isCancelled {
                    connection.send(" ")
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            let answer = await connection.rest()
            drip.cancel()
            #expect(answer.hasPrefix("HTTP/1.1 401 "))
            #expect(answer.contains("Connection: close\r\n"))
            #expect(answer.hasSuffix("}"))
        }
    }

    @Test(
        "P-52: requests that are sent without waiting are answered in their order, and the last one's wish holds"
    )
    func pipelined() async throws {
        try await ServerHouse.open { house in
            let get = "GET /health HTTP/1.1\r\nHost: x\r\n"
            let answers = try await exchange(
                house,
                "\(get)\r\n\(request("GET", "/nowhere"))\(get)\r\n"
            )
            let statuses = answers.matches(of: #/HTTP/1.1 (\d+)/#).map { String($0.1) }
            #expect(statuses == ["200", "404"])
        }
    }

    @Test("P-52: a network has a bound of open connections, and another one is let in when one has ended")
    func connectionsOfNetwork() async throws {
        var settings = ServerSettings()
        settings.connectionsOfNetwork = 4
        try await ServerHouse.open(settings) { house in
            try await checkBound(house, 4)
        }
    }

    @Test("P-52: behind a proxy the bound is that of all connections")
    func connections() async throws {
        var settings = ServerSettings()
        settings.connectionsOfNetwork = 1
        settings.connections = 4
        settings.trustsForwarded = true
        try await ServerHouse.open(settings) { house in
            try await checkBound(house, 4)
        }
    }

    /// Checks the bound. The client of the house has one connection open already.
    private func checkBound(_ house: ServerHouse, _ bound: Int) async throws {
        let get = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        var open: [RawConnection] = []
        for _ in 1..<bound {
            let connection = try RawConnection(to: house.port)
            connection.send(get)
            #expect(await connection.some().hasPrefix("HTTP/1.1 200 "))
            open.append(connection)
        }
        let refused = try RawConnection(to: house.port)
        #expect(await refused.rest() == "")
        #expect(try await house.client.send("GET", "/metrics").text.contains("connections_refused_total 1\n"))
        open.removeLast()
        // The server notices the end of a connection only after a while.
        while true {
            let connection = try RawConnection(to: house.port)
            connection.send(get)
            if await connection.some().hasPrefix("HTTP/1.1 200 ") { return }
        }
    }

    @Test("P-52: no Host and two are a 400; HTTP/1.0 gets an answer and the end of the connection")
    func hosts() async throws {
        try await ServerHouse.open { house in
            let line = "GET /health HTTP/1.1\r\n"
            for head in [
                line, line + "Host: x\r\nHost: x\r\n", line + "Host: x\r\nHOST: y\r\n",
                "GET /health HTTP/1.0\r\nHost: x\r\nHost: x\r\n", "GET /health HTTP/2.0\r\nHost: x\r\n",
            ] {
                let answer = try await exchange(house, head + "\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(head)")
            }
            for head in [
                "GET /health HTTP/1.0\r\n", "GET /health HTTP/1.0\r\nHost: x\r\n",
                "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n",
            ] {
                let answer = try await exchange(house, head + "\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(head)")
                #expect(answer.contains("Connection: close\r\n"), "\(head)")
            }
        }
    }
}
