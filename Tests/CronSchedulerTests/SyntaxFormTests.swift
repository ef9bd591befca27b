import CronScheduler
import Testing

/// Every form of S-1 against the values that it stands for, seen by when it fires.
@Suite(.timeLimit(.minutes(10))) struct SyntaxFormTests {
    /// The fires of an expression in UTC from a time on, up to another.
    private func fires(_ text: String, from: String, to: String) throws -> [String] {
        let expression = try CronExpression(text)
        let end = try Instant.second(to)
        var second = try Instant.second(from) - 1
        var found: [String] = []
        while let next = expression.nextSecond(after: second, in: .utc), next < end {
            found.append(Instant.text(next, "UTC"))
            second = next
        }
        return found
    }

    /// The numbers at a place of the times as text.
    private func numbers(_ text: String, _ from: String, _ to: String, at place: Int) throws -> [Int] {
        try fires(text, from: from, to: to).map { Int($0.dropFirst(place).prefix(2)) ?? -1 }
    }

    @Test(
        "S-1: values, lists, ranges and steps of minutes",
        arguments: [
            ("5", [5]), ("05", [5]), ("0,30", [0, 30]), ("30,0,30", [0, 30]), ("1-4", [1, 2, 3, 4]),
            ("7-7", [7]),
            ("*/20", [0, 20, 40]), ("*/59", [0, 59]), ("*/100", [0]), ("10/25", [10, 35]),
            ("58/1", [58, 59]),
            ("10-20/5", [10, 15, 20]), ("10-19/5", [10, 15]), ("57-2", [0, 1, 2, 57, 58, 59]),
            ("50-10/10", [0, 10, 50]),
            ("55-5/4", [3, 55, 59]), ("1,10-12,50/5", [1, 10, 11, 12, 50, 55]), ("*", Array(0...59)),
            ("*,5", Array(0...59)), ("*/1", Array(0...59)), ("0-59", Array(0...59)), ("30-29", Array(0...59)),
        ]
    )
    func minutes(_ field: String, values: [Int]) throws {
        let hour = ("2026-03-01T10:00:00Z", "2026-03-01T11:00:00Z")
        #expect(try numbers("\(field) 10 * * *", hour.0, hour.1, at: 14) == values)
        let minute = ("2026-03-01T10:07:00Z", "2026-03-01T10:08:00Z")
        #expect(try numbers("\(field) 7 10 * * *", minute.0, minute.1, at: 17) == values)
    }

    @Test(
        "S-1: hours",
        arguments: [
            ("0", [0]), ("23", [23]), ("22-2", [0, 1, 2, 22, 23]), ("*/6", [0, 6, 12, 18]),
            ("5/6", [5, 11, 17, 23]),
            ("20-4/3", [2, 20, 23]), ("9-17/4", [9, 13, 17]), ("*", Array(0...23)),
        ]
    )
    func hours(_ field: String, values: [Int]) throws {
        let found = try numbers("0 \(field) * * *", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", at: 11)
        #expect(found == values)
    }

    @Test(
        "S-1: months, as numbers and names of any case",
        arguments: [
            ("1", [1]), ("JAN", [1]), ("feb,Dec", [2, 12]), ("nov-FEB", [1, 2, 11, 12]),
            ("MAR-5", [3, 4, 5]),
            ("*/5", [1, 6, 11]), ("JUN/3", [6, 9, 12]),
            ("apr,MAY,jun,jul,aug,sep,oct", [4, 5, 6, 7, 8, 9, 10]),
            ("11-3/2", [1, 3, 11]), ("*", Array(1...12)),
        ]
    )
    func months(_ field: String, values: [Int]) throws {
        let found = try numbers("0 0 1 \(field) *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", at: 5)
        #expect(found == values)
    }

    // August 2026 has 31 days and begins on a Saturday.
    @Test(
        "S-1: days of the month",
        arguments: [
            ("13", [13]), ("1,15,31", [1, 15, 31]), ("30-2", [1, 2, 30, 31]), ("*/10", [1, 11, 21, 31]),
            ("25/3", [25, 28, 31]), ("?", Array(1...31)), ("L", [31]), ("l", [31]), ("L-0", [31]),
            ("L-3", [28]),
            ("L-30", [1]), ("LW", [31]), ("L-1W", [31]), ("L-2W", [28]), ("L-29W", [3]), ("1W", [3]),
            ("15W", [14]),
            ("16w", [17]), ("12W", [12]), ("31W", [31]), ("L,1,15W", [1, 14, 31]),
            ("L-3,LW,10-12", [10, 11, 12, 28, 31]),
        ]
    )
    func days(_ field: String, values: [Int]) throws {
        for weekday in ["*", "?"] {
            let text = "0 0 \(field) 8 \(weekday)"
            #expect(try numbers(text, "2026-08-01T00:00:00Z", "2026-09-01T00:00:00Z", at: 8) == values)
        }
    }

    @Test("S-1: the nearest workday does not leave the month")
    func workdays() throws {
        // May 2026 ends on a Sunday, and November begins on one; February 2026 has no 30th.
        #expect(try numbers("0 0 LW 5 *", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", at: 8) == [29])
        #expect(try numbers("0 0 31W 5 *", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", at: 8) == [29])
        #expect(try numbers("0 0 1W 11 *", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", at: 8) == [2])
        #expect(try numbers("0 0 30W 2 *", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", at: 8) == [])
    }

    @Test(
        "S-1: weekdays",
        arguments: [
            ("6", [1, 8, 15, 22, 29]), ("0", [2, 9, 16, 23, 30]), ("7", [2, 9, 16, 23, 30]),
            ("SUN", [2, 9, 16, 23, 30]), ("MON-wed", [3, 4, 5, 10, 11, 12, 17, 18, 19, 24, 25, 26, 31]),
            ("5-7", [1, 2, 7, 8, 9, 14, 15, 16, 21, 22, 23, 28, 29, 30]),
            ("SAT-SUN", [1, 2, 8, 9, 15, 16, 22, 23, 29, 30]),
            ("7-1", [2, 3, 9, 10, 16, 17, 23, 24, 30, 31]),
            ("0-7", Array(1...31)), ("?", Array(1...31)), ("1/4", [3, 7, 10, 14, 17, 21, 24, 28, 31]),
            ("5#1", [7]), ("SAT#5", [29]), ("0#5", [30]), ("2#5", []), ("7#2", [9]), ("5L", [28]),
            ("MONL", [31]),
            ("7L", [30]), ("5#L", [28]), ("fri#l", [28]), ("6#1,MON#2,0L", [1, 10, 30]),
            ("3,5#2", [5, 12, 14, 19, 26]),
        ]
    )
    func weekdays(_ field: String, values: [Int]) throws {
        for day in ["*", "?"] {
            let text = "0 0 \(day) 8 \(field)"
            #expect(try numbers(text, "2026-08-01T00:00:00Z", "2026-09-01T00:00:00Z", at: 8) == values)
        }
    }

    @Test(
        "S-1: either day field is enough, unless one starts with *",
        arguments: [
            ("13", "5", [7, 13, 14, 21, 28]), ("1-7", "MON", [1, 2, 3, 4, 5, 6, 7, 10, 17, 24, 31]),
            ("*/2", "MON", [3, 17, 31]), ("1-7", "*/6", [1, 2]), ("*,5", "1", [3, 10, 17, 24, 31]),
            ("13", "?", [13]), ("?", "1", [3, 10, 17, 24, 31]), ("L", "5L", [28, 31]),
            ("15W", "0#1", [2, 14]),
            ("1-31", "1", Array(1...31)), ("13", "0-6", Array(1...31)),
        ]
    )
    func dayRule(_ day: String, _ weekday: String, values: [Int]) throws {
        let text = "0 0 \(day) 8 \(weekday)"
        #expect(try numbers(text, "2026-08-01T00:00:00Z", "2026-09-01T00:00:00Z", at: 8) == values)
    }

    @Test(
        "S-1: years, of which steps count from 1970",
        arguments: [
            ("2026", [2026]), ("2024-2028/2", [2024, 2026, 2028]), ("2027/3", [2027, 2030]),
            ("*/4", [2022, 2026, 2030]),
            ("*/2,2025", [2020, 2022, 2024, 2025, 2026, 2028, 2030]), ("*", Array(2020...2030)),
            ("1-9999", Array(2020...2030)),
        ]
    )
    func years(_ field: String, values: [Int]) throws {
        let found = try fires(
            "0 0 0 1 1 * \(field)",
            from: "2020-01-01T00:00:00Z",
            to: "2031-01-01T00:00:00Z"
        )
        #expect(found.compactMap { Int($0.prefix(4)) } == values)
    }

    @Test(
        "S-1: nicknames",
        arguments: [
            ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"), ("@monthly", "0 0 1 * *"),
            ("@weekly", "0 0 * * 0"),
            ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@hourly", "0 * * * *"),
            ("@Daily", "0 0 * * *"),
        ]
    )
    func nicknames(_ nickname: String, meaning: String) throws {
        #expect(try CronExpression(nickname) == CronExpression(meaning))
    }

    @Test(
        "S-1: intervals",
        arguments: [
            ("90m", 5_400), ("1h30m", 5_400), ("2d", 172_800), ("1D2H3M4S", 93_784), ("1s", 1), ("0h5s", 5),
        ]
    )
    func intervals(_ text: String, seconds: Int) throws {
        #expect(try CronExpression("@every \(text)").interval == .seconds(seconds))
    }

    @Test("S-1: a time zone of its own goes before", arguments: ["CRON_TZ", "TZ"])
    func zone(_ key: String) throws {
        for rest in ["30 4 * * *", "@daily", "0 30 4 * * *"] {
            let expression = try CronExpression("\(key)=Europe/Riga \(rest)")
            #expect(expression.zoneName == "Europe/Riga")
            let plain = try CronExpression(rest)
            #expect(plain.zoneName == nil)
            #expect(expression.nextSecond(after: 0, in: .utc) == plain.nextSecond(after: 0, in: .utc))
        }
    }

    @Test("S-1: five, six and seven fields")
    func fieldCounts() throws {
        let day = ("2026-08-01T00:00:00Z", "2026-08-02T00:00:00Z")
        #expect(try fires("30 4 * * *", from: day.0, to: day.1) == ["2026-08-01T04:30:00Z"])
        #expect(try fires("15 30 4 * * *", from: day.0, to: day.1) == ["2026-08-01T04:30:15Z"])
        #expect(try fires("15 30 4 * * * 2026", from: day.0, to: day.1) == ["2026-08-01T04:30:15Z"])
        #expect(try fires("15 30 4 * * * 2027", from: day.0, to: day.1) == [])
    }
}
