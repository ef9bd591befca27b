import Foundation
import Testing

@Suite("portcullis schedule next --batch", .timeLimit(.minutes(10)))
struct ScheduleBatchTests {
    /// A row of the sample that the library's own tests use.
    private struct Sample: Decodable {
        var expr: String
        var tz: String
        var after: String
        var disputed: Bool?
        var next: [String]

        static func all() throws -> [Sample] {
            let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../CronSchedulerTests/Resources/cron-sample.json")
            return try JSONDecoder().decode([Sample].self, from: try Data(contentsOf: file))
        }
    }

    /// An answer, or what was wrong.
    private struct Answer: Decodable {
        struct Failure: Decodable {
            var position: Int?
            var field: String?
            var reason: String
            var hint: String?
        }

        var next: [String]?
        var error: Failure?
    }

    private func answers(_ input: Data, _ arguments: String...) async throws -> [Answer] {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(["schedule", "next", "--batch"] + arguments, input: input)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.text.isEmpty || outcome.text.hasSuffix("\n"))
        return try outcome.text.split(separator: "\n").map {
            try JSONDecoder().decode(Answer.self, from: Data($0.utf8))
        }
    }

    private func answers(_ lines: String...) async throws -> [Answer] {
        try await answers(Data(lines.joined(separator: "\n").utf8), "--tz", "UTC")
    }

    @Test("S-1, S-2: all undisputed rows of the sample, in order")
    func sample() async throws {
        let rows = try Sample.all().filter { $0.disputed != true }
        #expect(rows.count > 50)
        let lines = try rows.map { row in
            let object: [String: Any] = [
                "expr": row.expr, "tz": row.tz, "after": row.after, "count": max(1, row.next.count),
            ]
            return try JSONSerialization.data(withJSONObject: object)
        }
        let answers = try await answers(Data(lines.joined(separator: Data("\n".utf8))))
        #expect(answers.count == rows.count)
        for (row, answer) in zip(rows, answers) {
            // The sample writes UTC as the tool does.
            #expect(answer.next == row.next, "\(row.expr) in \(row.tz) after \(row.after)")
        }
    }

    @Test(
        "S-1: what is left out is as the options say; blank lines are passed over; the last line may lack its end"
    )
    func defaults() async throws {
        let lines = [
            #"{"expr":"0 9 * * *"}"#, "", "  \r", #"{"expr":"0 9 * * *","tz":null,"count":1}"#, "\r",
            #"{"expr":"0 9 * * *","tz":"UTC","after":"2026-05-01T09:00:00Z","other":[]}"#,
            #"{"expr":"CRON_TZ=Asia/Kathmandu 0 9 * * *","count":1}"#, #"{"expr":"@every 90m","count":1}"#,
        ]
        let answers = try await answers(
            Data(lines.joined(separator: "\n").utf8),
            "--tz",
            "Europe/Riga",
            "--after",
            "2026-01-01T10:00",
            "--count",
            "2"
        )
        #expect(
            answers.map(\.next) == [
                ["2026-01-02T09:00:00+02:00", "2026-01-03T09:00:00+02:00"],
                ["2026-01-02T09:00:00+02:00"],
                ["2026-05-02T09:00:00+00:00", "2026-05-03T09:00:00+00:00"],
                // After 08:00 UTC, which is 13:45 there.
                ["2026-01-02T09:00:00+05:45"],
                ["2026-01-01T11:30:00+02:00"],
            ]
        )
    }

    @Test("S-1: no further time is an empty list")
    func never() async throws {
        let answers = try await answers(
            #"{"expr":"0 0 30 2 *","count":3}"#,
            #"{"expr":"@reboot"}"#,
            #"{"expr":"0 0 0 1 1 * 2027","after":"2026-01-01","count":3}"#
        )
        #expect(answers.map(\.next) == [[], [], ["2027-01-01T00:00:00+00:00"]])
    }

    @Test("S-1: a bad line is answered in its place and stops nothing")
    func badLines() async throws {
        var input = Data()
        let good = Data("{\"expr\":\"0 0 * * *\",\"after\":\"2026-01-01\"}\n".utf8)
        let bad = [
            Data("nonsense".utf8), Data("[]".utf8), Data("{}".utf8), Data("{\"expr\":5}".utf8),
            Data("{\"expr\":\"0 0 * * *\"} x".utf8), Data([0xFF, 0xFE]),
            Data("{\"expr\":\"".utf8) + Data([0xFF]) + Data(" * * * *\"}".utf8),
            Data("{\"expr\":\"0 24 * * *\"}".utf8), Data("{\"expr\":\"* * * * *\",\"tz\":\"riga\"}".utf8),
            Data("{\"expr\":\"* * * * *\",\"after\":\"today\"}".utf8),
            Data("{\"expr\":\"* * * * *\",\"count\":0}".utf8),
            Data("{\"expr\":\"* * * * *\",\"count\":1.5}".utf8),
            Data("{\"expr\":\"* * * * *\",\"count\":1e300}".utf8),
            Data(repeating: UInt8(ascii: "x"), count: 70_000),
            Data("{\"expr\":\"".utf8) + Data(repeating: UInt8(ascii: "*"), count: 1 << 20),
        ]
        for line in bad { input += line + Data("\n".utf8) + good }
        let answers = try await answers(input, "--tz", "UTC")
        #expect(answers.count == 2 * bad.count)
        for (place, answer) in answers.enumerated() {
            if place % 2 == 1 {
                #expect(answer.next == ["2026-01-02T00:00:00+00:00"])
            } else {
                #expect(answer.next == nil)
                #expect(answer.error?.reason.isEmpty == false)
            }
        }
        let errors = answers.compactMap(\.error)
        #expect(
            errors.map(\.position) == [Int?](repeating: nil, count: 7) + [2]
                + [Int?](repeating: nil, count: 7)
        )
        #expect(
            errors.map(\.field) == [nil, nil, "expr", "expr", nil, nil, nil, "hour", "tz", "after"]
                + ["count", "count", "count", nil, nil]
        )
        #expect(errors[7].hint == "midnight is 0")
        #expect(errors[8].hint == "write Europe/Riga")
        #expect(errors[14].reason == "the line is longer than 65536 bytes")
    }

    @Test("S-1: a line of just 64 KiB is answered, one byte more is not")
    func longest() async throws {
        let start = Data("{\"expr\":\"0 0 * * *\",\"after\":\"2026-01-01\"".utf8)
        let full =
            start + Data(repeating: UInt8(ascii: " "), count: 65_536 - start.count - 1) + Data("}".utf8)
        let longer = start + Data(repeating: UInt8(ascii: " "), count: 65_536 - start.count) + Data("}".utf8)
        let end = Data("\n".utf8)
        for input in [full + end + longer + end + full, full + end + longer + end + full + end] {
            let answers = try await answers(input, "--tz", "UTC")
            #expect(answers.map { $0.next != nil } == [true, false, true])
        }
        #expect(try await answers(longer, "--tz", "UTC").map { $0.error != nil } == [true])
    }

    @Test("S-1: errors have all four members, and the lines stay as they are")
    func stable() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(
            "schedule",
            "next",
            "--batch",
            input: "{\"expr\":\"0 24 * * *\"}\nx\n"
        )
        #expect(
            outcome.text == """
                {"error":{"field":"hour","hint":"midnight is 0","position":2,"reason":"hour 24 is out of range 0–23"}}
                {"error":{"field":null,"hint":"write an object: {\\"expr\\":\\"0 9 * * *\\",\\"tz\\":\\"Europe/Riga\\",\\"count\\":3}","position":null,"reason":"not JSON"}}

                """
        )
    }

    @Test(
        "S-1: who asks line by line is answered line by line, also through a pipe that does not block",
        arguments: [true, false]
    )
    func interactive(_ blocks: Bool) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let (process, input, output, _) = tool.process(["schedule", "next", "--batch", "--tz", "UTC"])
        if !blocks { try Self.stopBlocking(input.fileHandleForReading) }
        try process.run()
        // Its input is closed by an error too, so that it ends in any case.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        defer {
                            try? input.fileHandleForWriting.close()
                            process.waitUntilExit()
                        }
                        for day in 10...20 {
                            let line = "{\"expr\":\"0 0 * * *\",\"after\":\"2026-01-\(day)\"}\n"
                            // In two pieces: half a line is no question.
                            let middle = line.utf8.count / 2
                            try input.fileHandleForWriting.write(contentsOf: Data(line.utf8.prefix(middle)))
                            try input.fileHandleForWriting.write(
                                contentsOf: Data(line.utf8.dropFirst(middle))
                            )
                            let answer = String(
                                decoding: try Self.available(output),
                                as: UTF8.self
                            )
                            #expect(answer == "{\"next\":[\"2026-01-\(day + 1)T00:00:00+00:00\"]}\n")
                        }
                    }
                )
            }
        }
        #expect(process.terminationStatus == 0)
    }

    @Test("S-1: output through a pipe that does not block is complete")
    func nonblockingOutput() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let count = 100_000
        let day = [
            "schedule", "next", "* * * * *", "--tz", "UTC", "--after", "2026-01-01", "--count", "\(count)",
        ]
        let (process, _, output, errors) = tool.process(day)
        try Self.stopBlocking(output.fileHandleForWriting)
        try process.run()
        let data = await withCheckedContinuation { (continuation: CheckedContinuation<Data, Never>) in
            Thread.detachNewThread {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: data)
            }
        }
        #expect(process.terminationStatus == 0)
        #expect(errors.fileHandleForReading.availableData.isEmpty)
        #expect(data.count { $0 == UInt8(ascii: "\n") } == count)
    }

    /// Sets what Node and others leave set on the pipes that they share.
    private static func stopBlocking(_ file: FileHandle) throws {
        let flags = fcntl(file.fileDescriptor, F_GETFL)
        try #require(fcntl(file.fileDescriptor, F_SETFL, flags | O_NONBLOCK) == 0)
    }

    /// What there is to read, at the latest after half a minute.
    private static func available(_ pipe: Pipe) throws -> Data {
        var descriptor = pollfd(
            fd: pipe.fileHandleForReading.fileDescriptor,
            events: Int16(POLLIN),
            revents: 0
        )
        guard unsafe poll(&descriptor, 1, 30_000) > 0 else { throw CocoaError(.fileReadUnknown) }
        return pipe.fileHandleForReading.availableData
    }

    @Test("S-1: 200,000 lines take no more memory than 2,000")
    func constantMemory() async throws {
        let small = try await peak(lines: 2_000)
        let large = try await peak(lines: 200_000)
        // Pages that the allocator takes in another order, but nothing that grows with the lines.
        #expect(large < small + 2_048, "\(small) KiB and \(large) KiB")
    }

    /// The most memory, in KiB, that the tool had resident while it answered so many lines.
    private func peak(lines: Int) async throws -> Int {
        let tool = try Tool()
        defer { tool.remove() }
        let (process, input, output, _) = tool.process(["schedule", "next", "--batch"])
        let zones = ["UTC", "Europe/Riga", "America/New_York", "Asia/Kathmandu"]
        let expressions = ["*/5 * * * *", "0 9 * * MON-FRI", "0 0 L * *", "0 24 * * *", "0 0 * * 5#2"]
        let block = (0..<1_000).map {
            "{\"expr\":\"\(expressions[$0 % 5])\",\"tz\":\"\(zones[$0 % 4])\",\"after\":\"2026-01-01\"}\n"
        }.joined()
        try process.run()
        return try await withCheckedThrowingContinuation { continuation in
            let reader = Thread {
                continuation.resume(
                    with: Result {
                        defer {
                            process.terminate()
                            process.waitUntilExit()
                        }
                        var answered = 0
                        while answered < lines {
                            let data = try Self.available(output)
                            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
                            answered += data.count { $0 == UInt8(ascii: "\n") }
                        }
                        // All is answered, and the process still waits for more.
                        return try Memory(of: process.processIdentifier).peak()
                    }
                )
            }
            reader.start()
            Thread.detachNewThread {
                // The pipe stays open at this end: the tool waits for more until it is ended.
                for _ in 0..<lines / 1_000 {
                    try? input.fileHandleForWriting.write(contentsOf: Data(block.utf8))
                }
            }
        }
    }

    @Test("a reader that has gone ends the stream without a word")
    func closedOutput() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let (process, input, output, errors) = tool.process(["schedule", "next", "--batch"])
        // As a shell starts it: other tests ignore the signal, and what is ignored is inherited.
        process.arguments = ["--default-signal=PIPE", Tool.executable.path, "schedule", "next", "--batch"]
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // A write to a process that has ended is an error here, and no signal.
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        let (said, status) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<(Data, Int32), any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try output.fileHandleForReading.close()
                        // A process that is being started elsewhere has a copy of the reading end for a moment.
                        for _ in 1...500 where process.isRunning {
                            let line = Data("{\"expr\":\"* * * * *\"}\n".utf8)
                            try? input.fileHandleForWriting.write(contentsOf: line)
                            Thread.sleep(forTimeInterval: 0.01)
                        }
                        try? input.fileHandleForWriting.close()
                        let said = errors.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return (said, process.terminationStatus)
                    }
                )
            }
        }
        #expect(said.isEmpty)
        #expect(status != 0)
    }
}
