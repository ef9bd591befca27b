internal import ArgumentParser
internal import Foundation

#if canImport(Glibc)
internal import Glibc
#endif

/// Measures what the gate costs an unlocked request, beside the same app without it, and what idle sessions hold in memory.
@main
struct GateBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "GateBenchmark",
        abstract: "Measures the gate of a web app, beside the same app without it.",
        subcommands: [Measure.self, LedgerServer.self],
        defaultSubcommand: Measure.self
    )
}

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "measure")

    @Option(help: "How many sessions are held, each of a user of its own.") var sessions = 10_000
    @Option(help: "How many rounds.") var rounds = 5
    @Option(help: "How many requests of each kind go to each server in a round.") var requests = 10_000

    private static let kinds = [
        ("a call, 57 bytes", "/api", ""),
        (
            "a page gone to, 8 kB", "/page",
            "Accept: text/html\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: same-origin\r\n"
        ),
        ("a picture, 64 kB", "/picture", ""),
    ]

    func run() throws {
        // The server inherits the limit, and holds a connection for each session too.
        let files = __rlimit_resource_t(7)
        var limit = rlimit()
        _ = unsafe getrlimit(files, &limit)
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(files, &limit) == 0, limit.rlim_cur >= sessions + 500 else {
            throw Connection.Failed(
                what: "this needs the right to open \(sessions + 500) files: run it as root"
            )
        }
        try measureRequests()
        try measureMemory()
    }

    private func measureRequests() throws {
        let (plain, locked) = (try ServerProcess([]), try ServerProcess(["--locked"]))
        defer { plain.end(); locked.end() }
        let (toPlain, toLocked) = (try Connection(plain.port), try Connection(locked.port))
        let cookies = try (0..<sessions).map { try locked.signIn($0, over: toLocked) }
        print(
            "| \(sessions) sessions, \(rounds) rounds of \(requests) requests | without | with | the gate | p99 without | p99 with |"
        )
        print("| --- | --- | --- | --- | --- | --- |")
        for (name, path, fields) in Self.kinds {
            var medians: [(Double, Double)] = []
            var tails: [(Double, Double)] = []
            for round in 0...rounds {
                var times: ([Double], [Double]) = ([], [])
                for _ in 0..<requests {
                    let cookie = cookies[Int.random(in: 0..<sessions)]
                    let request = Array(
                        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)Cookie: \(cookie)\r\n\r\n".utf8
                    )
                    // In an order that is drawn: the second finds warmer caches.
                    if Bool.random() {
                        times.0.append(try time(request, toPlain))
                        times.1.append(try time(request, toLocked))
                    } else {
                        times.1.append(try time(request, toLocked))
                        times.0.append(try time(request, toPlain))
                    }
                }
                // The first one warms up.
                guard round > 0 else { continue }
                let (without, with) = (times.0.sorted(), times.1.sorted())
                medians.append((without[requests / 2], with[requests / 2]))
                tails.append((without[requests * 99 / 100], with[requests * 99 / 100]))
            }
            let costs = medians.map { $1 - $0 }.sorted()
            let cells = [
                text(medians.map(\.0)), text(medians.map(\.1)),
                "\(number(costs[costs.count / 2])) µs (worst \(number(costs.last ?? 0)))",
                text(tails.map(\.0)), text(tails.map(\.1)),
            ]
            print("| \(name) | \(cells.joined(separator: " | ")) |")
        }
    }

    private func time(_ request: [UInt8], _ connection: Connection) throws -> Double {
        let clock = ContinuousClock()
        let begin = clock.now
        let head = try connection.ask(request)
        let passed = (clock.now - begin) / .microseconds(1)
        guard head.hasPrefix("HTTP/1.1 200") else { throw Connection.Failed(what: head) }
        return passed
    }

    private func measureMemory() throws {
        let server = try ServerProcess(["--locked", "--timeout", "5"])
        defer { server.end() }
        let signing = try Connection(server.port)
        let empty = try server.memory
        var streams: [Connection] = []
        for number in 0..<sessions {
            let cookie = try server.signIn(number, over: signing)
            let stream = try Connection(server.port, capacity: 4096)
            try stream.open(
                Array("GET /_lock/stream HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n".utf8)
            )
            streams.append(stream)
        }
        let open = try server.memory
        // No page gives a sign of life, so after 15 s each session has been left, and is locked.
        Thread.sleep(forTimeInterval: 30)
        let left = try server.memory
        print("\n| \(sessions) sessions with an open stream each | memory of the server |")
        print("| --- | --- |")
        for (name, bytes) in [("before", empty), ("all open", open), ("all left, and locked", left)] {
            print("| \(name) | \(bytes / 1_000_000) MB |")
        }
        withExtendedLifetime(streams) {}
    }

    private func text(_ values: [Double]) -> String {
        let sorted = values.sorted()
        return "\(number(sorted[sorted.count / 2])) µs"
    }

    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
