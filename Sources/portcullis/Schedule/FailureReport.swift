internal import CronScheduler

/// A failure as JSON. All four members are always written; `null` stands for a missing value.
struct FailureReport: Encodable {
    private enum Key: CodingKey { case error }
    private enum Member: CodingKey { case position, field, reason, hint }

    var failure: CronQuestionError

    func encode(to encoder: any Encoder) throws {
        var report = encoder.container(keyedBy: Key.self)
        var members = report.nestedContainer(keyedBy: Member.self, forKey: .error)
        try members.encode(failure.position, forKey: .position)
        try members.encode(failure.field, forKey: .field)
        try members.encode(failure.reason, forKey: .reason)
        try members.encode(failure.hint, forKey: .hint)
    }
}
