extension CronExpression {
    /// What the expression says that its author may not have meant; empty for most.
    ///
    /// What only its text shows, a step too large or uneven, is not here: see ``warnings(of:in:from:)``.
    ///
    /// - Parameters:
    ///   - zone: whose changes of clocks in the two years to come are looked at; `nil` for none.
    ///   - second: the present, in seconds since 1970-01-01T00:00:00Z.
    public func warnings(in zone: ZoneRules? = nil, from second: Int) -> [CronWarning] {
        guard case .fields(let sets) = rule else { return [] }
        let check = WarningCheck(sets: sets, zoneName: zoneName, zone: zone, second: second)
        if let never = check.never(isCertain: neverFires) { return [never] }
        return [check.everyUnit, check.days, check.skippedMonths, check.rareDate].compactMap { $0 }
            + check.clockChanges
    }

    /// What a text says that its author may not have meant: the ``warnings(in:from:)`` of its expression, and steps
    /// that are too large or uneven, of which the first three of each field are told.
    ///
    /// - Parameters:
    ///   - text: the expression as it was written.
    ///   - zone: whose changes of clocks in the two years to come are looked at; `nil` for none.
    ///   - second: the present, in seconds since 1970-01-01T00:00:00Z.
    /// - Throws: ``CronSyntaxError`` when the text is no expression.
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
