import CronScheduler
import Foundation
import Testing

/// Expressions and their next times, collected from the tests of other implementations and checked against each
/// other.
struct Sample: Decodable, Sendable, CustomTestStringConvertible {
    var source: String
    var expr: String
    var tz: String
    var after: String
    var disputed: Bool?
    var next: [String]
    var never: Bool?

    var testDescription: String { "\(expr) after \(after) in \(tz)" }

    static let all: [Sample] = {
        guard let file = Bundle.module.url(forResource: "cron-sample", withExtension: "json"),
            let data = try? Data(contentsOf: file),
            let samples = try? JSONDecoder().decode([Sample].self, from: data)
        else { return [] }
        return samples
    }()

    static let undisputed = all.filter { $0.disputed != true }
}

@Suite(.timeLimit(.minutes(10))) struct SampleTests {
    @Test("S-1: all rows of the sample are there")
    func count() { #expect(Sample.all.count == 62) }

    @Test("S-1, S-2: undisputed next times", arguments: Sample.undisputed)
    func undisputed(_ sample: Sample) throws {
        let expression = try CronExpression(sample.expr)
        let zone = try #require(ZoneRules(sample.tz))
        var second = try Instant.second(sample.after)
        for expected in sample.next {
            let next = try #require(expression.nextSecond(after: second, in: zone))
            #expect(Instant.text(next, sample.tz) == Instant.text(try Instant.second(expected), sample.tz))
            #expect(expression.previousSecond(before: next + 1, in: zone) == next)
            second = next
        }
        #expect(expression.neverFires == (sample.never == true))
        if sample.never == true { #expect(expression.nextSecond(after: second, in: zone) == nil) }
    }
}

/// Times as ISO 8601 text.
enum Instant {
    static func second(_ text: String) throws -> Int {
        Int(try Date.ISO8601FormatStyle().parse(text).timeIntervalSince1970)
    }

    static func text(_ second: Int, _ zone: String) -> String {
        var style = Date.ISO8601FormatStyle(timeZoneSeparator: .colon)
        style.timeZone = TimeZone(identifier: zone) ?? .gmt
        return Date(timeIntervalSince1970: Double(second)).formatted(style)
    }
}
