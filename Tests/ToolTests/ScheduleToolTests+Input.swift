import Foundation
import Testing

/// Times, expressions and zones as people write them, right and wrong.
extension ScheduleToolTests {
    @Test(
        "S-1: ISO 8601 in its forms",
        arguments: [
            ("2026-01-01T01:30:00+02:00", "2025-12-31T23:31:00+00:00"),
            ("2026-01-01T01:30:00+0200", "2025-12-31T23:31:00+00:00"),
            ("2026-01-01T01:30:00-05", "2026-01-01T06:31:00+00:00"),
            ("2026-01-01T01:30:00+01:36:14", "2025-12-31T23:54:00+00:00"),
            ("2026-01-01t01:30:59.999z", "2026-01-01T01:31:00+00:00"),
            ("2026-01-01T01:30:00,5", "2026-01-01T01:31:00+00:00"),
            ("2026-01-01 01:30", "2026-01-01T01:31:00+00:00"),
            ("2026-01-01", "2026-01-01T00:01:00+00:00"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:01:00+00:00"),
            ("0000-01-01T00:00:00+10:00", "-0001-12-31T14:01:00+00:00"),
            ("9999-12-31T23:59:59Z", "+10000-01-01T00:00:00+00:00"),
            ("+10000-01-01T00:00:00+00:00", "+10000-01-01T00:01:00+00:00"),
            ("+123456-02-29T00:00:00Z", "+123456-02-29T00:01:00+00:00"),
            ("-0001-12-31T14:01:00+00:00", "-0001-12-31T14:02:00+00:00"),
            ("+2026-01-01", "2026-01-01T00:01:00+00:00"),
        ]
    )
    func timeForms(_ written: String, _ next: String) async throws {
        #expect(try await run("next", "* * * * *", "--tz", "UTC", "--after", written).text == next + "\n")
    }

    @Test(
        "S-2: a local time that clocks leave out is the gap's end, one of two the first; old offsets have seconds"
    )
    func localTimes() async throws {
        let every = ["next", "@every 1s", "--tz", "Europe/Riga", "--after"]
        let tool = try Tool()
        defer { tool.remove() }
        for (written, next) in [
            ("2027-03-28T03:30:00", "2027-03-28T04:00:01+03:00"),
            ("2027-10-31T03:30:00", "2027-10-31T03:30:01+03:00"),
            ("1900-01-01T00:00:00", "1900-01-01T00:00:01+01:36:34"),
        ] {
            let outcome = try await tool.run(["schedule"] + every + [written], input: Data())
            #expect(outcome.text == next + "\n")
        }
    }

    @Test(
        "S-1: what is no time is 2",
        arguments: [
            "", "now", "2026", "2026-1-1", "2026-13-01", "2026-02-29", "2026-01-01T", "2026-01-01T24:00",
            "2026-01-01T01:60", "2026-01-01T01:30:60Z", "2026-01-01T01:30:00.Z", "2026-01-01T01:30:00+2",
            "2026-01-01T01:30:00Zx", "2026-01-01T01:30:00+24:00", "2026-01-01T01:30:00+02:00:", "２026-01-01",
            "10000-01-01", "+999-01-01", "+9999999999-01-01", "--2026-01-01", "+-2026-01-01",
        ]
    )
    func noTime(_ written: String) async throws {
        let outcome = try await run("next", "* * * * *", "--after", written)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("portcullis: “\(written)” is no ISO 8601 time\n"))
    }

    @Test("S-1: an error shows reason, place and hint; as JSON all four members")
    func syntaxError() async throws {
        for command in ["next", "previous", "check", "explain"] {
            let outcome = try await run(command, "0 24\t* * *")
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors == """
                    portcullis: hour 24 is out of range 0–23
                      0 24 * * *
                        ^
                      midnight is 0

                    """
            )
            let json = try await run(command, "0 24 * * *", "--json")
            #expect(json.status == 2)
            #expect(json.errors.isEmpty)
            let valid = command == "check" ? ",\"valid\":false" : ""
            #expect(
                json.text
                    == "{\"error\":{\"field\":\"hour\",\"hint\":\"midnight is 0\",\"position\":2,"
                    + "\"reason\":\"hour 24 is out of range 0–23\"}\(valid)}\n"
            )
        }
    }

    @Test("S-1: of a long expression only what is around the mistake is shown")
    func longExpressions() async throws {
        let list = String(repeating: "1,", count: 100)
        for command in ["next", "check"] {
            var outcome = try await run(command, "\(list)77,\(list)1 * * * *")
            var lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines[1].contains("…1,1,1") && lines[1].hasSuffix("…"))
            let place = lines[2].count - 1
            #expect(String(Array(lines[1])[place...]).hasPrefix("77,"), "the mark is below the mistake")
            outcome = try await run(command, String(repeating: "1,", count: 20_000))
            lines = outcome.errors.split(separator: "\n")
            #expect(lines.first == "portcullis: an expression has at most 4096 bytes")
            #expect(outcome.errors.utf8.count < 500)
        }
    }

    @Test("S-1: an unknown zone is 2, with the one that was meant")
    func unknownZone() async throws {
        for command in ["next", "previous", "check", "explain"] {
            let outcome = try await run(command, "* * * * *", "--tz", "europe/riga-")
            #expect(outcome.status == 2)
            #expect(
                outcome.errors == "portcullis: there is no time zone “europe/riga-”\n  write Europe/Riga\n"
            )
        }
        let own = try await run("next", "TZ=Nowhere * * * * *", "--json")
        #expect(own.status == 2)
        let error = own.json["error"] as? [String: Any]
        #expect(error?["position"] as? Int == 3)
        #expect(error?["field"] is NSNull)
        let option = try await run("next", "* * * * *", "--tz", "Nowhere", "--json")
        #expect((option.json["error"] as? [String: Any])?["field"] as? String == "tz")
    }

    @Test("S-1: a TZ that names no zone is 2 instead of UTC, unless a zone is given")
    func unknownSetting() async throws {
        var tool = try Tool()
        defer { tool.remove() }
        tool.variables = ["TZ": "Riga"]
        for command in ["next", "previous", "check", "explain"] {
            let outcome = try await tool.run("schedule", command, "0 9 * * *")
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors == """
                    portcullis: TZ is set to “Riga”, which names no time zone
                      set it to an IANA name such as Europe/Riga, or pass --tz

                    """
            )
        }
        #expect(try await tool.run("schedule", "next", "0 9 * * *", "--tz", "UTC").status == 0)
        #expect(try await tool.run("schedule", "next", "CRON_TZ=Europe/Riga 0 9 * * *").status == 0)
        let lines = "{\"expr\":\"0 9 * * *\"}\n{\"expr\":\"0 9 * * *\",\"tz\":\"UTC\"}\n"
        let batch = try await tool.run("schedule", "next", "--batch", input: lines).text.split(
            separator: "\n"
        )
        #expect(batch.map { $0.contains("names no time zone") } == [true, false])
        #expect(batch.map { $0.contains("next") } == [false, true])

        tool.variables = ["TZ": "GMT+2"]
        let day = try await tool.run("schedule", "next", "0 9 * * *", "--after", "2026-01-01")
        #expect(day.text == "2026-01-01T09:00:00-02:00\n", "as date and cron understand it")
        let option = try await tool.run("schedule", "next", "0 9 * * *", "--tz", "GMT+2")
        #expect(option.status == 2)
        #expect(option.errors.contains("Etc/GMT-2 for 2 hours east"))
    }
}
