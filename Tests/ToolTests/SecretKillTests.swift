import Foundation
import PortcullisTesting
import Synchronization
import Testing

@Suite("portcullis secret, with writers killed", .timeLimit(.minutes(60)))
struct SecretKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["PORTCULLIS_TORTURE"] != nil
    private static let commits = isLong ? 500 : 40

    /// A process that commits line after line, and which of them it said were durable.
    private struct Writer: Sendable {
        var acknowledged: [String]
        var status: Int32
        var wasKilled: Bool
        var errors: String
    }

    /// Runs one writer to its end, or kills it somewhat after it acknowledged so many.
    ///
    /// - Parameter pause: how much later, in microseconds.
    private func run(_ tool: Tool, _ number: Int, killAfter limit: Int?, pause: UInt32) async throws -> Writer
    {
        let lines = (0..<Self.commits).map { index in
            let value = Data(Self.value(of: "w\(number)-\(index)").utf8).base64EncodedString()
            return "{\"name\":\"w\(number)-\(index)\",\"value\":\"\(value)\"}\n"
        }
        let input = Data(lines.joined().utf8)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let (process, stdin, stdout, stderr) = tool.process([
                            "secret", "import-lines", "--json", "--lock-timeout", "300s",
                        ])
                        try process.run()
                        Thread.detachNewThread {
                            // One that is killed reads no more.
                            try? stdin.fileHandleForWriting.write(contentsOf: input)
                            try? stdin.fileHandleForWriting.close()
                        }
                        var output = Data()
                        var isDoomed = limit != nil
                        while case let more = stdout.fileHandleForReading.availableData, !more.isEmpty {
                            output += more
                            guard isDoomed, output.count(where: { $0 == 10 }) >= limit ?? 0 else { continue }
                            isDoomed = false
                            // Anywhere in a commit: waiting for the lock, writing, syncing or acknowledging.
                            usleep(pause)
                            kill(process.processIdentifier, SIGKILL)
                        }
                        let errors = stderr.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return Writer(
                            // The last line of one that was killed may be cut off.
                            acknowledged: Self.names(
                                output.lastIndex(of: 10).map { output[...$0] } ?? Data()
                            ),
                            status: process.terminationStatus,
                            wasKilled: process.terminationReason == .uncaughtSignal,
                            errors: String(decoding: errors, as: UTF8.self)
                        )
                    }
                )
            }
        }
    }

    private static func value(of name: String) -> String { "value of \(name)" }

    private static func names(_ lines: some Collection<UInt8>) -> [String] {
        lines.split(separator: 10).compactMap { line in
            ((try? JSONSerialization.jsonObject(with: Data(line))) as? [String: String])?["name"]
        }
    }

    @Test(
        "K-5, K-7: of eight processes two are killed: nothing acknowledged is lost, nobody is refused or blocked",
        arguments: 1...(isLong ? 10 : 2) as ClosedRange<Int>
    )
    func killed(seed: Int) async throws {
        var numbers = SeededNumbers(seed: seed)
        let tool = try Tool()
        defer { tool.remove() }
        try #require(try await tool.run("secret", "set", "first", input: "x").status == 0)
        let doomed = Set((0..<8).shuffled(using: &numbers).prefix(2))
        let writers = try await withThrowingTaskGroup(of: (Int, Writer).self) { group in
            for number in 0..<8 {
                let limit =
                    doomed.contains(number) ? Int.random(in: 1...Self.commits / 2, using: &numbers) : nil
                let pause = UInt32.random(in: 0...3_000, using: &numbers)
                group.addTask { (number, try await run(tool, number, killAfter: limit, pause: pause)) }
            }
            return try await group.reduce(into: [Int: Writer]()) { $0[$1.0] = $1.1 }
        }
        for (number, writer) in writers {
            if doomed.contains(number) {
                #expect(writer.wasKilled && writer.status == SIGKILL, "writer \(number) had ended before")
            } else {
                #expect(!writer.wasKilled && writer.status == 0, "writer \(number): \(writer.errors)")
                #expect(writer.acknowledged.count == Self.commits)
            }
        }

        let listed = try await tool.run("secret", "list", "--json")
        let there = Set(Self.names(listed.output))
        let acknowledged = writers.values.flatMap(\.acknowledged)
        #expect(there.isSuperset(of: acknowledged), "\(Set(acknowledged).subtracting(there)) are lost")
        // A commit that was not acknowledged any more may be there, one for each that was killed.
        #expect(there.count <= acknowledged.count + 1 + doomed.count)
        for name in acknowledged.shuffled(using: &numbers).prefix(10)
            + doomed.compactMap({ writers[$0]?.acknowledged.last })
        {
            #expect(try await tool.run("secret", "get", name).text == Self.value(of: name))
        }
        // The next writer does not wait for a lock that a killed one held, and clears up behind it.
        let next = try await tool.run("secret", "set", "next", "--lock-timeout", "0s", input: "y")
        #expect(next.status == 0, "\(next.errors)")
        let check = try await tool.run("secret", "check", "--json").json
        #expect((check["damage"] as? [Any])?.isEmpty == true && check["unfinishedTail"] as? Bool == false)
        #expect(check["items"] as? Int == there.count + 1)
    }
}
