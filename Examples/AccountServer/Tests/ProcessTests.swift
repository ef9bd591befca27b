import ExampleSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("The server as a process", .timeLimit(.minutes(10)), .serialized)
struct ProcessTests {
    func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = try ServerProcess.makeFolder()
        do { try await body(folder) } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test("P-52: 8 clients with wrong passcodes at two processes: the count is exact, and the throttle one")
    func twoProcesses() async throws {
        try await inFolder { folder in
            let servers = [try ServerProcess(in: folder), try ServerProcess(in: folder)]
            let clients = [try await servers[0].client(), try await servers[1].client()]
            let token = try await clients[0].signIn { try await servers[0].code(after: 0) }
            #expect(try await clients[1].set("493817", token).outcome == "set")
            let replies = try await concurrently(8) { client in
                var replies: [APIClient.Reply] = []
                for _ in 0..<4 { replies.append(try await clients[client % 2].verify("111111", token)) }
                return replies
            }.flatMap(\.self)
            let failures = replies.compactMap { $0.json?["failures"] as? Int }
            #expect(failures.sorted() == [1, 2, 3, 4, 5])
            #expect(replies.count { $0.problem == "throttled" } == 27)
            for client in clients { #expect(try await client.verify("493817", token).problem == "throttled") }
            for server in servers { server.send(SIGTERM) }
            for server in servers { #expect(try await server.status() == (0, false)) }
        }
    }

    @Test("P-52: of many resets at two processes with one code, one takes place")
    func resetsAtTwoProcesses() async throws {
        try await inFolder { folder in
            let servers = [try ServerProcess(in: folder), try ServerProcess(in: folder)]
            let clients = [try await servers[0].client(), try await servers[1].client()]
            let who = #""email":"anna@example.com","role":"staff""#
            let request = try await clients[0].auth("request-reset", "{\(who)}").request
            let code = try await servers[0].code(after: 0)
            let outcomes = try await concurrently(20) { index in
                let sent = #""code":"\#(code)","request":"\#(request)""#
                let reset = #""new":"\#(270_000 + index)","revision":"r\#(index)""#
                let body = "{\(who),\(sent),\(reset)}"
                return try await clients[index % 2].auth("reset-passcode", body).outcome
            }
            #expect(outcomes.count { $0 == "reset" } == 1)
            #expect(outcomes.count { $0 == "refused" } == 19)
            let token = try await clients[0].signIn { try await servers[0].code(after: 1) }
            for client in clients {
                let revision = try await client.status(token).json?["revision"] as? String
                let winner = try #require(revision?.dropFirst()).description
                let passcode = String(270_000 + (try #require(Int(winner))))
                #expect(try await client.verify(passcode, token).outcome == "right")
            }
            for server in servers { server.send(SIGTERM) }
            for server in servers { #expect(try await server.status() == (0, false)) }
        }
    }

    @Test("P-52: the limit of open files is raised as far as it goes, and told")
    func descriptors() async throws {
        try await inFolder { folder in
            let arguments = ["--in-memory", "--connections", "50"]
            let server = try ServerProcess(in: folder, arguments, descriptors: 100)
            _ = try await server.client()
            // The limit is read from the system, because the log could tell of a limit that was never set.
            let limit = try #require(try server.descriptorLimit())
            #expect(limit.soft == min(limit.hard, 65_536))
            #expect(server.log.contains(#""before":"100""#))
            #expect(server.log.contains(#""message":"descriptors","now":"\#(limit.soft)""#))
            #expect(server.log.contains(#""connections":"50""#))
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
        }
    }

    @Test("P-52: in memory, nothing outlives the server, and no file is made")
    func inMemory() async throws {
        try await inFolder { folder in
            let server = try ServerProcess(in: folder, ["--in-memory"])
            let client = try await server.client()
            let token = try await client.signIn { try await server.code(after: 0) }
            #expect(try await client.set("493817", token).outcome == "set")
            #expect(try await client.verify("493817", token).outcome == "right")
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["accounts.json"])
            let next = try ServerProcess(in: folder, ["--in-memory"])
            #expect(try await next.client().status(token).problem == "not-signed-in")
        }
    }

    @Test("P-52: after a kill at any moment, what was acknowledged is there")
    func kills() async throws {
        try await inFolder { folder in
            var (token, carl) = ("", "")
            var acknowledged = "493817"
            var minutes = 15
            for round in 0..<6 {
                let server = try ServerProcess(in: folder, ["--code-requests", "1000"])
                let client = try await server.client()
                if round == 0 {
                    token = try await client.signIn { try await server.code(after: 0) }
                    #expect(try await client.set(acknowledged, token, as: "start").outcome == "set")
                    carl = try await client.signIn("carl@example.com", "customer") {
                        try await server.code(after: 1)
                    }
                }
                let last = Mutex((passcode: acknowledged, revision: ""))
                let begun = Mutex((passcode: "", revision: ""))
                let (session, first) = (token, acknowledged)
                let writer = Task {
                    var current = first
                    for number in 0..<1_000 {
                        let new = String(270_000 + round * 1_000 + number)
                        let revision = "r\(round)-\(number)"
                        begun.withLock { $0 = (new, revision) }
                        let body = #"{"current":"\#(current)","new":"\#(new)","revision":"\#(revision)"}"#
                        let reply = try await client.auth("change-passcode", body, token: session)
                        guard reply.outcome == "right" else { return }
                        last.withLock { $0 = (new, revision) }
                        current = new
                    }
                }
                // One person changes a batch of items, and another changes a single item at the same time.
                let timeout = Mutex(minutes)
                let other = carl
                let setter = Task {
                    for number in 1..<100_000 {
                        let body = #"{"timeoutMinutes":\#(round * 100_000 + number)}"#
                        let reply = try await client.auth("update-settings", body, token: other)
                        guard reply.outcome == "right" else { return }
                        timeout.withLock { $0 = round * 100_000 + number }
                    }
                }
                // The kill may come at any moment, and at another one in each round.
                while last.withLock({ $0.revision }).isEmpty { try await Task.sleep(for: .milliseconds(1)) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
                server.send(SIGKILL)
                _ = await writer.result
                _ = await setter.result
                #expect(try await server.status().wasSignalled)

                let restarted = try ServerProcess(in: folder)
                let look = try await restarted.client()
                let status = try await look.status(session)
                let revision = try #require(status.json?["revision"] as? String)
                // The store has the last answered change, or the change that was under way. Either of them is
                // whole.
                let (answered, underWay) = (last.withLock { $0 }, begun.withLock { $0 })
                #expect(revision == answered.revision || revision == underWay.revision)
                acknowledged = revision == answered.revision ? answered.passcode : underWay.passcode
                #expect(try await look.verify(acknowledged, session).outcome == "right")
                minutes = try #require(try await look.status(carl).json?["timeoutMinutes"] as? Int)
                let told = timeout.withLock { $0 }
                #expect(
                    minutes == told || minutes == (told / 100_000 == round ? told + 1 : round * 100_000 + 1)
                )
                restarted.send(SIGTERM)
                #expect(try await restarted.status() == (0, false))
            }
        }
    }

    @Test("P-52: a request that is under way when the server is told to stop is answered")
    func gracefulShutdown() async throws {
        try await inFolder { folder in
            let server = try ServerProcess(in: folder)
            let client = try await server.client()
            let token = try await client.signIn { try await server.code(after: 0) }
            #expect(try await client.set("493817", token).outcome == "set")
            // A derivation is over soon. So the test repeats it until it sees one under way.
            var outcome: String?
            for _ in 0..<50 where outcome == nil {
                let isOver = Mutex(false)
                let answer = Task {
                    defer { isOver.withLock { $0 = true } }
                    return try await client.verify("493817", token).outcome
                }
                while !isOver.withLock({ $0 }) {
                    let numbers = try await client.send("GET", "/metrics").text
                    guard numbers.contains("account_server_derivations 1\n") else { continue }
                    server.send(SIGTERM)
                    outcome = try await answer.value
                    break
                }
                _ = try await answer.value
            }
            #expect(outcome == "right")
            #expect(try await server.status() == (0, false))
            #expect(!server.log.contains("493817") && !server.log.contains(token))
        }
    }

    @Test("P-52: a client that never ends its request does not keep the server from stopping")
    func stalledClient() async throws {
        try await inFolder { folder in
            let server = try ServerProcess(in: folder, ["--grace", "1"])
            let client = try await server.client()
            let connection = try RawConnection(to: try #require(client.url.port))
            connection.send(
                "POST /api/auth/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            )
            connection.send("Content-Length: 600\r\n\r\n{")
            // Ten bytes a second keep the connection from being idle, for a minute. The request's deadline
            // comes after the grace.
            let drip = Task {
                while !Task.isCancelled {
                    connection.send(" ")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            // Once a later request is answered, the head has arrived.
            _ = try await client.send("GET", "/health")
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
            drip.cancel()
            #expect(await connection.rest().isEmpty, "the server waited for the request")
        }
    }

    /// Makes a mail command from lines of a shell script.
    private func mailCommand(in folder: URL, _ lines: String) throws -> URL {
        let command = folder.appending(path: "sendmail")
        try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: command)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: command.path)
        return command
    }

    @Test("P-52: mail goes to the system's command, the address as an argument that is none of its options")
    func sendmail() async throws {
        try await inFolder { folder in
            let command = try mailCommand(
                in: folder,
                """
                printf '%s\\n' "$@" > "$0.args"
                cat > "$0.part"
                mv "$0.part" "$0.message"
                """
            )
            let server = try ServerProcess(
                in: folder,
                ["--sendmail", command.path, "--sender", "door@example.com"]
            )
            let client = try await server.client()
            let body = #"{"email":"anna@example.com","role":"staff"}"#
            let request = try await client.auth("request-sign-in", body).request
            let message = command.appendingPathExtension("message")
            while !FileManager.default.fileExists(atPath: message.path) {
                try await Task.sleep(for: .milliseconds(10))
            }
            let text = try String(contentsOf: message, encoding: .utf8)
            let head = text.components(separatedBy: "\n\n")[0].components(separatedBy: "\n")
            #expect(head.contains("To: anna@example.com") && head.contains("From: door@example.com"))
            #expect(head.contains("Subject: Your sign-in code"))
            #expect(head.allSatisfy { $0.wholeMatch(of: #/[A-Za-z-]+: \S.*/#) != nil })
            let arguments = try String(contentsOf: command.appendingPathExtension("args"), encoding: .utf8)
            #expect(arguments == "-i\n-f\ndoor@example.com\n--\nanna@example.com\n")
            let code = try #require(text.firstMatch(of: #/\n\n(\d{6}) is your code/#)?.1)
            let sent = #""code":"\#(code)","request":"\#(request)""#
            let signIn = #"{"email":"anna@example.com","role":"staff",\#(sent)}"#
            #expect(try await client.auth("sign-in", signIn).status == 200)
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
        }
    }

    @Test("P-52: a mail command that hangs keeps neither requests waiting nor the server from stopping")
    func hangingSendmail() async throws {
        try await inFolder { folder in
            let command = try mailCommand(
                in: folder,
                """
                trap '' TERM
                echo "$$" > "$0.part"
                mv "$0.part" "$0.pid"
                exec sleep 1000
                """
            )
            let server = try ServerProcess(in: folder, ["--sendmail", command.path, "--grace", "1"])
            let client = try await server.client()
            for _ in 0..<3 {
                let body = #"{"email":"anna@example.com","role":"staff"}"#
                #expect(try await client.auth("request-sign-in", body).status == 202)
            }
            let number = command.appendingPathExtension("pid")
            while !FileManager.default.fileExists(atPath: number.path) {
                try await Task.sleep(for: .milliseconds(10))
            }
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
            let text = try String(contentsOf: number, encoding: .utf8)
            let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
            #expect(kill(process, 0) == -1, "the command still runs")
            // The log may be read only after the process has ended. It has one line for each mail that was
            // under way.
            while server.log.components(separatedBy: "mail dropped").count <= 3 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(!server.log.contains("cannot be run") && !server.log.contains("mail failed"))
        }
    }

    @Test("P-52: what a mail command leaves in the background is not waited for")
    func backgroundSendmail() async throws {
        try await inFolder { folder in
            let command = try mailCommand(
                in: folder,
                """
                cat >/dev/null
                sleep 1000 &
                echo "$!" >>"$0.pids"
                """
            )
            let server = try ServerProcess(in: folder, ["--sendmail", command.path, "--grace", "60"])
            let client = try await server.client()
            for _ in 0..<3 {
                let body = #"{"email":"anna@example.com","role":"staff"}"#
                #expect(try await client.auth("request-sign-in", body).status == 202)
            }
            let line = "account_server_mails_total{result=\"sent\"} 3\n"
            while try await !client.send("GET", "/metrics").text.contains(line) {
                try await Task.sleep(for: .milliseconds(50))
            }
            #if os(Linux)
            #expect(ProcessState.ended(startedBy: server.number).isEmpty, "the commands are collected")
            #endif
            server.send(SIGTERM)
            #expect(try await server.status() == (0, false))
            let text = try String(contentsOf: command.appendingPathExtension("pids"), encoding: .utf8)
            let left = text.split(separator: "\n").compactMap { pid_t($0) }
            #expect(left.count == 3 && left.allSatisfy { kill($0, SIGKILL) == 0 })
        }
    }

    @Test("P-52: a mail command that fails or cannot be run ends nothing, and shows in the numbers")
    func brokenSendmail() async throws {
        for command in ["/bin/false", "/nowhere/sendmail"] {
            try await inFolder { folder in
                let server = try ServerProcess(in: folder, ["--sendmail", command])
                let client = try await server.client()
                for _ in 0..<3 {
                    let body = #"{"email":"anna@example.com","role":"staff"}"#
                    #expect(try await client.auth("request-sign-in", body).status == 202)
                }
                let line = "account_server_mails_total{result=\"failed\"} 3\n"
                while try await !client.send("GET", "/metrics").text.contains(line) {}
                #expect(!server.log.contains("anna"))
                server.send(SIGTERM)
                #expect(try await server.status() == (0, false))
            }
        }
    }
}
