import Testing

/// What Reminders promises for days of 23 and 25 hours, beyond the runs that its README shows.
@Suite("Reminders", .timeLimit(.minutes(5)))
struct RemindersTests {
    /// Runs a day in Berlin.
    private func day(_ date: String, _ lines: String...) async throws -> [String] {
        let file = lines.map { "'\($0)'" }.joined(separator: " ")
        return try await ScratchFolder().run(
            """
            printf '%s\\n' \(file) > lines.txt
            swift run reminders lines.txt --zone Europe/Berlin --simulate \(date)
            """
        )
    }

    @Test(
        "S-2: a time that is missing rings once, when the clocks have moved on",
        arguments: ["0 2 * * *", "30 2 * * *", "*/10 2 * * *", "0,59 2 * * *"]
    )
    func missing(expression: String) async throws {
        #expect(
            try await day("2026-03-29", "\(expression) Ring") == ["2026-03-29T01:00:00Z 03:00 Ring"]
        )
    }

    @Test("S-2: a time that comes twice rings once, the first time")
    func doubled() async throws {
        #expect(try await day("2026-10-25", "30 2 * * * Ring") == ["2026-10-25T00:30:00Z 02:30 Ring"])
        #expect(
            try await day("2026-10-25", "*/30 2 * * * Ring")
                == ["2026-10-25T00:00:00Z 02:00 Ring", "2026-10-25T00:30:00Z 02:30 Ring"]
        )
    }

    @Test(
        "S-2: what names all hours rings by elapsed time, on days of 23, 24 and 25 hours",
        arguments: [("2026-03-29", 23), ("2026-03-30", 24), ("2026-10-25", 25)]
    )
    func elapsed(date: String, hours: Int) async throws {
        let printed = try await day(date, "*/30 * * * * Ring")
        #expect(printed.count == 2 * hours)
        #expect(Set(printed.map { $0.prefix(20) }).count == 2 * hours)
    }

    @Test("lines may end as on Windows, and a mistake is named by its line all the same")
    func lineEnds() async throws {
        let scratch = try ScratchFolder()
        let rung = try await scratch.run(
            """
            printf '# mine\\r\\n\\r\\n0 9 * * * Ring\\r\\n' > lines.txt
            swift run reminders lines.txt --zone UTC --simulate 2026-03-02
            """
        )
        #expect(rung == ["2026-03-02T09:00:00Z 09:00 Ring"])
        let refused = try await scratch.run(
            "printf '# mine\\r\\n\\r\\n0 9 * *\\r\\n' > lines.txt; swift run reminders lines.txt"
        )
        #expect(refused.count == 1)
        #expect(refused.first?.hasPrefix("lines.txt, line 3: 4 fields") == true)
    }

    @Test("a file without reminders is refused, rather than watched over for ever")
    func none() async throws {
        let refused = try await ScratchFolder().run(
            "echo '# none' > lines.txt; swift run reminders lines.txt"
        )
        #expect(refused.first == "Error: lines.txt holds no reminder")
    }

    @Test("S-3: on the system's clock a reminder rings, and --once ends it")
    func once() async throws {
        let printed = try await ScratchFolder().run(
            """
            echo '@every 1s Ring' > lines.txt
            swift run reminders lines.txt --once
            """
        )
        #expect(!printed.isEmpty)
        #expect(printed.allSatisfy { $0.hasSuffix(" Ring") })
    }
}
