extension CronExpression {
    /// The meaning of the expression, as a sentence in plain English with a 24-hour clock: `At 04:30 on
    /// Monday to Friday.`
    ///
    /// Equal expressions have equal sentences, and expressions that fire at different times have different
    /// ones. The sentence does not mention clock changes: <doc:CronPolicies> says what happens at hours that
    /// are skipped or repeated.
    public var explanation: String {
        let end = zoneName.map { ", in the time zone \($0)." } ?? "."
        switch rule {
        case .fields(let sets):
            return TimeWords(sets).text + DateWords(sets).text + end
        case .every(let seconds):
            return "Every \(EveryInterval(seconds: seconds).words), counted from its start" + end
        case .reboot:
            return "Once, when the machine has started" + end
        }
    }
}
