import Foundation
import Testing

@Suite("portcullis schedule", .timeLimit(.minutes(10)))
struct ScheduleToolTests {
    func run(_ arguments: String...) async throws -> Tool.Outcome {
        let tool = try Tool()
        defer { tool.remove() }
        return try await tool.run(["schedule"] + arguments, input: Data())
    }

    @Test("S-1: next tells times with offset, a line each")
    func next() async throws {
        var outcome = try await run(
            "next",
            "30 4 * * MON-FRI",
            "--tz",
            "Europe/Riga",
            "--after",
            "2027-03-26T00:00:00Z",
            "--count",
            "2"
        )
        #expect(outcome.status == 0)
        #expect(outcome.text == "2027-03-26T04:30:00+02:00\n2027-03-29T04:30:00+03:00\n")
        #expect(outcome.errors.isEmpty)

        outcome = try await run("next", "0 0 * * *", "--tz", "UTC", "--after", "2026-12-31T00:00:00Z")
        #expect(outcome.text == "2027-01-01T00:00:00+00:00\n", "strictly later; UTC has an offset too")

        outcome = try await run(
            "next",
            "0 0 29 2 *",
            "--tz",
            "UTC",
            "--after",
            "2097-01-01",
            "--count",
            "2",
            "--json"
        )
        #expect(outcome.status == 0)
        #expect(
            outcome.text == "{\"next\":[\"2104-02-29T00:00:00+00:00\",\"2108-02-29T00:00:00+00:00\"]}\n"
        )
    }

    @Test("S-2: a time in the gap is its end, the first of two in the overlap")
    func clockChanges() async throws {
        var outcome = try await run(
            "next",
            "30 3 * * *",
            "--tz",
            "Europe/Riga",
            "--after",
            "2027-03-27T12:00",
            "--count",
            "2"
        )
        #expect(outcome.text == "2027-03-28T04:00:00+03:00\n2027-03-29T03:30:00+03:00\n")
        outcome = try await run(
            "next",
            "30 3 * * *",
            "--tz",
            "Europe/Riga",
            "--after",
            "2027-10-30T12:00",
            "--count",
            "2"
        )
        #expect(outcome.text == "2027-10-31T03:30:00+03:00\n2027-11-01T03:30:00+02:00\n")
    }

    @Test("S-1: without --after and --tz it is now and the system's zone")
    func now() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let before = Date()
        let outcome = try await tool.run("schedule", "next", "* * * * * *")
        let next = try Date.ISO8601FormatStyle().parse(outcome.text.trimmingCharacters(in: .newlines))
        #expect(next > before && next <= Date() + 1)
        let previous = try await tool.run("schedule", "previous", "* * * * * *")
        let last = try Date.ISO8601FormatStyle().parse(previous.text.trimmingCharacters(in: .newlines))
        #expect(last >= before - 1 && last <= Date())
    }

    @Test("S-1: a zone of the expression's own goes before --tz")
    func ownZone() async throws {
        let outcome = try await run(
            "next",
            "CRON_TZ=Asia/Kathmandu 0 9 * * *",
            "--tz",
            "UTC",
            "--after",
            "2026-01-01T00:00:00Z"
        )
        #expect(outcome.text == "2026-01-01T09:00:00+05:45\n")
    }

    @Test("S-2: previous tells the latest first, and is earlier than --before by a fraction also")
    func previous() async throws {
        var outcome = try await run(
            "previous",
            "0 0 29 2 *",
            "--tz",
            "UTC",
            "--before",
            "2026-01-01",
            "--count",
            "3"
        )
        #expect(outcome.status == 0)
        #expect(
            outcome.text
                == "2024-02-29T00:00:00+00:00\n2020-02-29T00:00:00+00:00\n2016-02-29T00:00:00+00:00\n"
        )
        let day = ["previous", "0 0 * * *", "--tz", "UTC", "--json", "--before"]
        let tool = try Tool()
        defer { tool.remove() }
        outcome = try await tool.run(["schedule"] + day + ["2026-05-01T00:00:00Z"], input: Data())
        #expect(outcome.text == "{\"previous\":[\"2026-04-30T00:00:00+00:00\"]}\n")
        outcome = try await tool.run(["schedule"] + day + ["2026-05-01T00:00:00.25Z"], input: Data())
        #expect(outcome.text == "{\"previous\":[\"2026-05-01T00:00:00+00:00\"]}\n")
    }

    @Test("S-1: @every is anchored at --after and --before")
    func every() async throws {
        var outcome = try await run(
            "next",
            "@every 90m",
            "--tz",
            "UTC",
            "--after",
            "2026-01-01T00:10:00Z",
            "--count",
            "2"
        )
        #expect(outcome.text == "2026-01-01T01:40:00+00:00\n2026-01-01T03:10:00+00:00\n")
        outcome = try await run("previous", "@every 90m", "--tz", "UTC", "--before", "2026-01-01T00:10:00Z")
        #expect(outcome.text == "2025-12-31T22:40:00+00:00\n")
        outcome = try await run("previous", "@every 90m", "--tz", "UTC", "--before", "2026-01-01T00:10:00.5Z")
        #expect(outcome.text == "2025-12-31T22:40:00+00:00\n", "of the same second")
    }

    @Test("S-1: previous takes --after for --before, but not both")
    func beforeAndAfter() async throws {
        let day = ["previous", "0 0 * * *", "--tz", "UTC"]
        let tool = try Tool()
        defer { tool.remove() }
        for option in ["--before", "--after"] {
            let outcome = try await tool.run(["schedule"] + day + [option, "2026-05-01"], input: Data())
            #expect(outcome.text == "2026-04-30T00:00:00+00:00\n")
            let wrong = try await tool.run(["schedule"] + day + [option, "x", "--json"], input: Data())
            #expect(
                (wrong.json["error"] as? [String: Any])?["field"] as? String == String(option.dropFirst(2))
            )
        }
        let both = ["--before", "2026-05-01", "--after", "2026-05-01"]
        #expect(try await tool.run(["schedule"] + day + both, input: Data()).status == 2)
        let help = try await tool.run("schedule", "previous", "--help").text
        #expect(help.contains("--before") && !help.contains("--after"))
    }

    @Test(
        "S-1: an expression without quotes is told so in a few words",
        arguments: ["next", "previous", "check", "explain"]
    )
    func withoutQuotes(_ command: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let files = (0..<1_000).map { "file-\($0)" }
        var outcome = try await tool.run(
            ["schedule", command, "0"] + files + ["--tz", "UTC"],
            input: Data()
        )
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == """
                portcullis: the expression is 1001 arguments
                  pass it as one argument, in quotes: '0 9 * * *'

                """
        )
        outcome = try await tool.run("schedule", command)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("portcullis: the expression is missing\n"))
    }

    @Test("S-1: with --json what is wrong with the arguments is JSON, too")
    func argumentErrors() async throws {
        for (arguments, field) in [
            (["next", "* * * * *", "--count", "x"], "count"),
            (["previous", "* * * * *", "--count", "1.5"], "count"),
            (["next", "* * * * *", "--count", "0"], "count"), (["next"], nil), (["previous"], nil),
            (["check"], nil), (["explain"], nil), (["next", "*", "*"], nil), (["next", "--batch", "*"], nil),
            (["next", "--batch", "--count", "x"], "count"),
        ] as [([String], String?)] {
            let tool = try Tool()
            defer { tool.remove() }
            let outcome = try await tool.run(["schedule"] + arguments + ["--json"], input: Data())
            #expect(outcome.status == 2)
            #expect(outcome.errors.isEmpty)
            let error = outcome.json["error"] as? [String: Any]
            #expect(error?["field"] as? String == field, "\(arguments)")
            #expect((error?["reason"] as? String)?.isEmpty == false)
        }
    }

    @Test("S-1: no time, or no further one, is 1, with a word on standard error")
    func never() async throws {
        let never = try await run("next", "0 0 30 2 *")
        #expect(never.status == 1)
        #expect(never.output.isEmpty)
        #expect(never.errors == "portcullis: it never fires\n")

        let reboot = try await run("next", "@reboot")
        #expect(reboot.status == 1)
        #expect(
            reboot.errors == "portcullis: @reboot has no times: it fires once when the machine has started\n"
        )

        let json = try await run("next", "@reboot", "--json")
        #expect(json.status == 1)
        #expect(json.text == "{\"next\":[]}\n")

        let over = try await run(
            "next",
            "0 0 0 1 1 * 2027",
            "--tz",
            "UTC",
            "--after",
            "2026-01-01",
            "--count",
            "2"
        )
        #expect(over.status == 1)
        #expect(over.text == "2027-01-01T00:00:00+00:00\n")
        #expect(over.errors == "portcullis: there is no further next time\n")

        let first = try await run("previous", "0 0 0 1 1 * 2027", "--tz", "UTC", "--before", "2026-01-01")
        #expect(first.status == 1)
        #expect(first.errors == "portcullis: there is no previous time\n")
    }

    @Test("S-1: check tells warnings and the version of the zones' data; valid is 0")
    func check() async throws {
        var outcome = try await run("check", "0 0 31 * *", "--tz", "UTC")
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(
            lines.dropLast() == [
                "valid: 0 0 31 * *",
                "warning: February, April, June, September and November have no 31st and are passed over",
                "  for the last day write 0 0 L * *",
            ]
        )
        #expect(lines.last?.wholeMatch(of: /time zone UTC, data 20\d\d[a-z]/) != nil)

        outcome = try await run("check", "*/90 0 30 2 *", "--tz", "UTC", "--json")
        #expect(outcome.status == 0)
        let json = outcome.json
        #expect(json["valid"] as? Bool == true)
        #expect(json["neverFires"] as? Bool == true)
        #expect(json["expression"] as? String == "0 0 30 FEB *")
        #expect(json["timeZone"] as? String == "UTC")
        #expect((json["timeZoneData"] as? String)?.hasPrefix("20") == true)
        let warnings = try #require(json["warnings"] as? [[String: String]])
        #expect(warnings.map { $0["code"] } == ["oversizedStep", "neverFires"])
        #expect(warnings.map { $0["field"] } == ["minute", "day"])
        #expect(warnings.allSatisfy { $0["message"] != nil && $0["hint"] != nil })

        outcome = try await run("check", "30 2 * * *", "--tz", "America/New_York")
        #expect(outcome.text.contains("clocks in America/New_York go from 02:00 to 03:00"))
        outcome = try await run("check", "@daily", "--tz", "America/New_York")
        #expect(!outcome.text.contains("warning"))
    }

    @Test("S-1: explain says the sentence and the next three times")
    func explain() async throws {
        let outcome = try await run("explain", "*/15 9-17 * * 1-5", "--tz", "UTC")
        #expect(outcome.status == 0)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "Every 15 minutes from 09:00 to 17:45 on Monday to Friday.")
        #expect(lines.dropFirst().allSatisfy { $0.hasSuffix(":00+00:00") })

        let json = try await run("explain", "@daily", "--tz", "UTC", "--json").json
        #expect(json["explanation"] as? String == "At 00:00 every day.")
        #expect(json["expression"] as? String == "0 0 * * *")
        #expect((json["next"] as? [String])?.count == 3)

        let never = try await run("explain", "0 0 30 2 *")
        #expect(never.status == 0)
        #expect(never.text == "At 00:00 on the 30th of February.\nIt never fires.\n")
        #expect(try await run("explain", "@reboot").text == "Once, when the machine has started.\n")
        let over = try await run("explain", "0 0 0 1 1 * 2020")
        #expect(over.status == 0)
        #expect(over.text == "At 00:00 on the 1st of January, in 2020.\nIt does not fire any more.\n")
    }

    @Test("usage errors are 2, help is 0")
    func usage() async throws {
        #expect(try await run("next").status == 2)
        #expect(try await run("next", "--batch", "* * * * *").status == 2)
        #expect(try await run("next", "*", "*", "*", "*", "*").status == 2, "not in quotes")
        #expect(try await run("next", "* * * * *", "--count", "0").status == 2)
        #expect(try await run("next", "* * * * *", "--count", "1000001").status == 2)
        #expect(try await run("next", "* * * * *", "--count", "x").status == 2)
        #expect(try await run("next", "").status == 2)
        #expect(try await run("nonsense").status == 2)
        for arguments in [[], ["next"], ["previous"], ["check"], ["explain"]] {
            let tool = try Tool()
            defer { tool.remove() }
            let outcome = try await tool.run(["schedule"] + arguments + ["--help"], input: Data())
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("USAGE"))
        }
    }
}
