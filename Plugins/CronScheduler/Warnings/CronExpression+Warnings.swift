extension CronExpression {
    /// Likely mistakes in the expression; empty for most expressions.
    ///
    /// Steps that are too large or uneven show only in the text: see ``warnings(of:in:from:)``.
    ///
    /// - Parameters:
    ///   - zone: the zone in which clock changes of the next two years are checked; `nil` to check none.
    ///   - second: the present time, in seconds since 1970-01-01T00:00:00Z.
    public func warnings(in zone: ZoneRules? = nil, from second: Int) -> [CronWarning] {
        guard case .fields(let sets) = rule else { return [] }
        let check = WarningCheck(sets: sets, zoneName: zoneName, zone: zone, second: second)
        if let never = check.never(isCertain: neverFires) { return [never] }
        return [check.everyUnit, check.days, check.skippedMonths, check.rareDate].compactMap { $0 }
            + check.clockChanges
    }

    /// Likely mistakes in a text: the ``warnings(in:from:)`` of its expression, and steps that are too large
    /// or uneven. Each field gets at most three warnings about steps.
    ///
    /// - Parameters:
    ///   - text: the text of the expression.
    ///   - zone: the zone in which clock changes of the next two years are checked; `nil` to check none.
    ///   - second: the present time, in seconds since 1970-01-01T00:00:00Z.
    /// - Throws: ``CronSyntaxError`` if the text is not a cron expression.
    public static func warnings(
        of text: String,
        in zone: ZoneRules? = nil,
        from second: Int
    ) throws(CronSyntaxError) -> [CronWarning] {
        let expression = try CronExpression(text)
        guard case .fields(let sets) = expression.rule else { return [] }
        return StepCheck(text, sets).warnings + expression.warnings(in: zone, from: second)
    }
}
