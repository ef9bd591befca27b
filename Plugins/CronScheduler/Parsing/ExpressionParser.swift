/// Reads a whole expression: an optional zone, then a nickname or five to seven fields.
struct ExpressionParser {
    let text: [UInt8]
    private(set) var zoneName: String?

    init(_ text: String) { self.text = Array(text.utf8) }

    mutating func parse(isZone: (String) -> Bool) throws(CronSyntaxError) -> CronExpression.Rule {
        guard text.count <= Self.longest else {
            throw failure(
                .tooLong,
                at: Self.longest,
                "an expression has at most \(Self.longest) bytes",
                "write long lists as ranges and steps: 0-40, */5"
            )
        }
        let text = trimmed
        if let place = text.firstIndex(where: { $0 < 0x20 && !$0.isBlank || $0 >= 0x7F }) {
            try refuseInvisible(from: place)
        }
        var fields = Self.words(of: text)
        if let first = fields.first, let zone = try zone(in: text[first], isZone: isZone) {
            zoneName = zone
            fields.removeFirst()
            if let second = fields.first, let equals = text[second].firstIndex(of: .equals) {
                throw failure(
                    .unexpectedText,
                    at: second.lowerBound,
                    "“\(text[second.lowerBound...equals].shown)” cannot follow the time zone",
                    "an expression has one time zone, and nothing else before its fields"
                )
            }
        }
        guard let first = fields.first else {
            throw failure(.empty, at: text.endIndex, "there is no expression", "every minute is * * * * *")
        }
        if text[first.lowerBound] == .at { return try nickname(fields) }
        guard (5...7).contains(fields.count) else { throw wrongCount(fields) }
        do { return .fields(try sets(fields)) } catch { throw commandError(fields) ?? error }
    }

    /// The largest length of an expression in bytes. If each field but the year lists all its values, the
    /// text has some 600 bytes. The rest is enough for a list of years.
    private static let longest = 4_096

    /// The text without line breaks at its start and end. A line of a file, for example, ends in a line
    /// break.
    var trimmed: ArraySlice<UInt8> {
        var text = text[...]
        while let last = text.last, last == .newline || last == .carriageReturn { text.removeLast() }
        while let first = text.first, first == .newline || first == .carriageReturn { text.removeFirst() }
        return text
    }

    /// Throws an error for the first invisible character. Other invalid characters are refused later, when
    /// the parser reaches them.
    private func refuseInvisible(from start: Int) throws(CronSyntaxError) {
        var place = start
        for scalar in String(decoding: trimmed[start...], as: UTF8.self).unicodeScalars {
            if scalar == "\n" || scalar == "\r" {
                throw failure(
                    .unexpectedText,
                    at: place,
                    "a line break cannot stand inside an expression",
                    "write one expression, on one line"
                )
            }
            let properties = scalar.properties
            let isBlank = properties.isWhitespace && scalar != " " && scalar != "\t"
            if isBlank || scalar != "\t" && [.control, .format].contains(properties.generalCategory) {
                let code = String(scalar.value, radix: 16, uppercase: true)
                let number = String(repeating: "0", count: max(0, 4 - code.count)) + code
                throw failure(
                    .unexpectedText,
                    at: place,
                    "the invisible character U+\(number) cannot stand in an expression",
                    isBlank ? "separate the fields with plain spaces" : "remove it"
                )
            }
            place += UTF8.width(scalar)
        }
    }

    /// The characters, other than letters, with which a command or a comment can begin.
    private static let commandStarts = Array("/.~$([{#".utf8)

    /// The error for a line of a crontab, which has a command after the five fields. The parser has read the
    /// command as further fields. The result is `nil` if the text does not look like a line of a crontab.
    private func commandError(_ fields: [Range<Int>]) -> CronSyntaxError? {
        guard fields.count > 5, (try? sets(Array(fields[..<5]))) != nil else { return nil }
        let word = text[fields[5]]
        guard let first = word.first else { return nil }
        // A word that begins like a weekday, or has at most three letters, is more likely a misspelt weekday
        // than a command.
        let isName = FieldUnit.weekday.value(named: word.prefix(3)) != nil || word.count <= 3
        guard first.isLetter ? !isName : Self.commandStarts.contains(first) else { return nil }
        let isComment = first == .hash
        return failure(
            .unexpectedText,
            at: fields[5].lowerBound,
            "“\(word.shown)” cannot follow the five fields",
            isComment ? "an expression has no comments" : "pass the expression alone, without the command"
        )
    }

    static func words(of text: ArraySlice<UInt8>) -> [Range<Int>] {
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

    /// The zone in a word of the form `CRON_TZ=…` or `TZ=…`; `nil` for a word without `=`. Throws if the word
    /// has another name before the `=`, or if the zone is unknown.
    private func zone(in word: ArraySlice<UInt8>, isZone: (String) -> Bool) throws(CronSyntaxError) -> String?
    {
        guard let equals = word.firstIndex(of: .equals) else { return nil }
        let key = String(decoding: word[..<equals], as: UTF8.self)
        guard key == "CRON_TZ" || key == "TZ" else {
            throw failure(
                .unexpectedText,
                at: word.startIndex,
                "“\(word[..<equals].shown)=” cannot stand before an expression",
                "a time zone is set with CRON_TZ="
            )
        }
        let name = String(decoding: word[(equals + 1)...], as: UTF8.self)
        guard isZone(name) else {
            throw failure(
                .unknownZone,
                at: equals + 1,
                name.isEmpty
                    ? "the time zone is missing" : "there is no time zone “\(word[(equals + 1)...].shown)”",
                ZoneRules.hint(for: name)
            )
        }
        return name
    }

    private func wrongCount(_ fields: [Range<Int>]) -> CronSyntaxError {
        let nickname = "@" + String(decoding: text[fields[0]], as: UTF8.self).lowercased()
        if fields.count == 1, Self.nicknames[nickname] != nil {
            return failure(
                .fieldCount,
                at: fields[0].lowerBound,
                "nicknames begin with @",
                "write \(nickname)"
            )
        }
        let count = fields.count == 1 ? "1 field" : "\(fields.count) fields"
        return failure(
            .fieldCount,
            at: fields.count > 7 ? fields[7].lowerBound : trimmed.endIndex,
            "\(count) where 5, 6 or 7 must be",
            fields.count > 7
                ? "pass the expression alone, without the command"
                : "the five are minute, hour, day, month and weekday; six begin with the second; seven end with the year"
        )
    }

    private func sets(_ fields: [Range<Int>]) throws(CronSyntaxError) -> FieldSets {
        let offset = fields.count == 5 ? 0 : 1
        var days = FieldParser(text, fields[offset + 2], .day)
        var weekdays = FieldParser(text, fields[offset + 4], .weekday)
        // The fields are parsed in the order of the text, so that the error is about the text's first mistake.
        let seconds = try offset == 1 ? values(fields[0], .second) : 1
        let minutes = try values(fields[offset], .minute)
        let hours = try values(fields[offset + 1], .hour)
        try days.parse()
        let months = try values(fields[offset + 3], .month)
        try weekdays.parse()
        var sets = FieldSets(
            seconds: seconds,
            minutes: minutes,
            hours: UInt32(truncatingIfNeeded: hours),
            days: UInt32(truncatingIfNeeded: days.values),
            months: UInt16(truncatingIfNeeded: months),
            weekdays: UInt8(truncatingIfNeeded: weekdays.values)
        )
        if days.isStar { sets.traits.insert(.dayStar) }
        if weekdays.isStar { sets.traits.insert(.weekdayStar) }
        var rare = days.rare
        rare.ordinals = weekdays.rare.ordinals
        rare.lastWeekdays = weekdays.rare.lastWeekdays
        if fields.count == 7 {
            var years = FieldParser(text, fields[6], .year)
            try years.parse()
            let ranges = years.years.canonical
            // The expression's canonical text lists these ranges. There may be more of them than in the text
            // that was read. Their number is limited, so that the canonical text can be parsed again.
            guard ranges.count <= RareRules.mostYears else { throw years.tooManyYears() }
            if !ranges.coverAll { rare.years = ranges }
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

// Nicknames, such as `@daily`.
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
                "nothing can follow \(Array(name.utf8)[...].shown)",
                "pass the expression alone, without the command"
            )
        }
        if name == "@reboot" { return .reboot }
        guard let fields = Self.nicknames[name] else {
            throw failure(
                .unknownNickname,
                at: start,
                "there is no “\(text[words[0]].shown)”",
                "there are @yearly, @monthly, @weekly, @daily, @hourly, @every 90m and @reboot"
            )
        }
        var parser = ExpressionParser(fields)
        return try parser.parse { _ in false }
    }

    /// The seconds of an interval such as the `1h30m` of `@every 1h30m`. Each number has a unit, and larger
    /// units come first.
    private func interval(_ words: [Range<Int>]) throws(CronSyntaxError) -> Int {
        let hint = "write numbers with units, such as 90m, 1h30m or 2d; a second is the least"
        guard words.count == 2 else {
            let place = words.count > 2 ? words[2].lowerBound : trimmed.endIndex
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
