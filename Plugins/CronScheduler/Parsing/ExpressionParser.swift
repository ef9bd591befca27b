/// Reads a whole expression: an optional zone, then a nickname or five to seven fields.
struct ExpressionParser {
    let text: [UInt8]
    private(set) var zoneName: String?

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func parse(isZone: (String) -> Bool) throws(CronSyntaxError) -> CronExpression.Rule {
        var fields = Self.words(of: text[...])
        if let first = fields.first, let zone = try zone(in: text[first], isZone: isZone) {
            zoneName = zone
            fields.removeFirst()
        }
        guard let first = fields.first else {
            throw failure(.empty, at: text.count, "there is no expression", "every minute is * * * * *")
        }
        if text[first.lowerBound] == .at { return try nickname(fields) }
        guard (5...7).contains(fields.count) else { throw wrongCount(fields) }
        return .fields(try sets(fields))
    }

    private static func words(of text: ArraySlice<UInt8>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        words.reserveCapacity(7)
        var start: Int?
        for place in text.indices {
            if text[place].isBlank {
                if let first = start { words.append(first..<place) }
                start = nil
            } else if start == nil {
                start = place
            }
        }
        if let start { words.append(start..<text.endIndex) }
        return words
    }

    /// The zone of a first word `CRON_TZ=…` or `TZ=…`.
    private func zone(in word: ArraySlice<UInt8>, isZone: (String) -> Bool) throws(CronSyntaxError) -> String?
    {
        guard let equals = word.firstIndex(of: .equals) else { return nil }
        let key = String(decoding: word[..<equals], as: UTF8.self)
        guard key == "CRON_TZ" || key == "TZ" else {
            throw failure(
                .unexpectedText,
                at: word.startIndex,
                "“\(key)=” cannot stand before an expression",
                "a time zone is set with CRON_TZ="
            )
        }
        let name = String(decoding: word[(equals + 1)...], as: UTF8.self)
        guard isZone(name) else {
            throw failure(
                .unknownZone,
                at: equals + 1,
                "there is no time zone “\(name)”",
                "write an IANA name such as Europe/Riga"
            )
        }
        return name
    }

    private func wrongCount(_ fields: [Range<Int>]) -> CronSyntaxError {
        let count = fields.count == 1 ? "1 field" : "\(fields.count) fields"
        return failure(
            .fieldCount,
            at: fields.count > 7 ? fields[7].lowerBound : text.count,
            "\(count) where 5, 6 or 7 must be",
            fields.count > 7
                ? "pass the expression alone, without the command"
                : "the five are minute, hour, day, month and weekday; six begin with the second; seven end with the year"
        )
    }

    private func sets(_ fields: [Range<Int>]) throws(CronSyntaxError) -> FieldSets {
        var sets = FieldSets()
        let offset = fields.count == 5 ? 0 : 1
        var days = FieldParser(text, fields[offset + 2], .day)
        var weekdays = FieldParser(text, fields[offset + 4], .weekday)
        if offset == 1 { sets.seconds = try values(fields[0], .second) }
        sets.minutes = try values(fields[offset], .minute)
        sets.hours = UInt32(truncatingIfNeeded: try values(fields[offset + 1], .hour))
        try days.parse()
        sets.months = UInt16(truncatingIfNeeded: try values(fields[offset + 3], .month))
        try weekdays.parse()
        sets.days = UInt32(truncatingIfNeeded: days.values)
        sets.weekdays = UInt8(truncatingIfNeeded: weekdays.values)
        if days.isStar { sets.traits.insert(.dayStar) }
        if weekdays.isStar { sets.traits.insert(.weekdayStar) }
        var rare = days.rare
        rare.ordinals = weekdays.rare.ordinals
        rare.lastWeekdays = weekdays.rare.lastWeekdays
        if fields.count == 7 {
            var years = FieldParser(text, fields[6], .year)
            try years.parse()
            if !years.coversAll { rare.years = years.years }
        }
        if rare != RareRules.Sets() { sets.rare = RareRules(rare) }
        sets.findShortCuts()
        return sets
    }

    private func values(_ field: Range<Int>, _ unit: FieldUnit) throws(CronSyntaxError) -> UInt64 {
        var parser = FieldParser(text, field, unit)
        try parser.parse()
        return parser.values
    }

    private func failure(
        _ code: CronSyntaxError.Code,
        at place: Int,
        _ reason: String,
        _ hint: String?
    ) -> CronSyntaxError {
        CronSyntaxError(code, text, at: place, field: nil, reason, hint)
    }
}

// Nicknames.
extension ExpressionParser {
    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    private func nickname(_ words: [Range<Int>]) throws(CronSyntaxError) -> CronExpression.Rule {
        let start = words[0].lowerBound
        let name = String(decoding: text[words[0]], as: UTF8.self).lowercased()
        if name == "@every" { return .every(seconds: try interval(words)) }
        if words.count > 1 {
            throw failure(
                .unexpectedText,
                at: words[1].lowerBound,
                "nothing can follow \(name)",
                "pass the expression alone, without the command"
            )
        }
        if name == "@reboot" { return .reboot }
        guard let fields = Self.nicknames[name] else {
            throw failure(
                .unknownNickname,
                at: start,
                "there is no “\(name)”",
                "there are @yearly, @monthly, @weekly, @daily, @hourly, @every 90m and @reboot"
            )
        }
        var parser = ExpressionParser(fields)
        return try parser.parse { _ in false }
    }

    /// The seconds of `@every 1h30m`: numbers with a unit each, the larger first.
    private func interval(_ words: [Range<Int>]) throws(CronSyntaxError) -> Int {
        let hint = "write numbers with units, such as 90m, 1h30m or 2d; a second is the least"
        guard words.count == 2 else {
            let place = words.count > 2 ? words[2].lowerBound : text.count
            let reason = words.count > 2 ? "nothing can follow the interval" : "the interval is missing"
            throw failure(.invalidInterval, at: place, reason, hint)
        }
        let units: [(letter: UInt8, seconds: Int)] = [
            (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3_600), (UInt8(ascii: "m"), 60),
            (UInt8(ascii: "s"), 1),
        ]
        var total = 0
        var smallest = Int.max
        var place = words[1].lowerBound
        while place < words[1].upperBound {
            let start = place
            let digits = text[place..<words[1].upperBound].prefix { $0.isDigit }
            place += digits.count
            guard let number = Int(String(decoding: digits, as: UTF8.self)), number <= 1_000_000_000,
                place < words[1].upperBound,
                let unit = units.first(where: { $0.letter == text[place] | 0x20 }), unit.seconds < smallest
            else { throw failure(.invalidInterval, at: start, "the interval cannot be read", hint) }
            total += number * unit.seconds
            smallest = unit.seconds
            place += 1
        }
        guard total > 0 else {
            throw failure(.invalidInterval, at: words[1].lowerBound, "an interval of 0 never moves on", hint)
        }
        return total
    }
}
