import CronScheduler
import Foundation
import PortcullisCore

/// A line of a file of reminders: its time and its text.
struct Reminder: Sendable {
    /// A line that is no reminder.
    struct Mistake: Error {
        /// The number of the line, from 1.
        var line: Int
        var reason: String
    }

    /// The number of its line in the file, from 1.
    let line: Int
    /// The expression as it was written.
    let source: String
    let expression: CronExpression
    let text: String

    /// Reads all lines of a file except blank ones and those that begin with `#`.
    static func lines(of file: String) -> [Result<Reminder, Mistake>] {
        let lines = file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.enumerated().compactMap { index, line in
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { return nil }
            return Result { () throws(Mistake) in try Reminder(line, number: index + 1) }
        }
    }

    private init(_ line: Substring, number: Int) throws(Mistake) {
        func mistake(_ reason: String) -> Mistake { Mistake(line: number, reason: reason) }
        let end = Self.expressionEnd(in: line)
        self.line = number
        source = String(line[..<end])
        do {
            expression = try CronExpression(source)
        } catch {
            throw mistake("\(error)")
        }
        text = String(line[end...].drop(while: \.isWhitespace))
        if text.isEmpty { throw mistake("there is no text after the time") }
        if expression.neverFires { throw mistake("there is no such day, so it would never ring") }
    }

    /// The end of the expression: five fields, or `@daily`, or `@every 90m`. A zone may precede them.
    private static func expressionEnd(in line: Substring) -> Substring.Index {
        let words = line.split(whereSeparator: \.isWhitespace)
        let zones = words.first.map { $0.hasPrefix("CRON_TZ=") || $0.hasPrefix("TZ=") ? 1 : 0 } ?? 0
        let count =
            switch words.dropFirst(zones).first {
            case "@every": 2
            case let word? where word.hasPrefix("@"): 1
            default: 5
            }
        return words.dropFirst(zones + count - 1).first?.endIndex ?? line.endIndex
    }

    /// Makes the job that notifies with the time by the zone's clocks, and the text.
    func job(
        in zone: ZoneRules,
        _ notifier: any Notifier,
        afterwards: @escaping @Sendable () -> Void = {}
    ) -> CronJob {
        CronJob(ActivityName("line \(line)"), at: expression, zone: zone.name) { run in
            let time = LocalTime.time(Int(run.scheduled.components.seconds), in: zone)
            let ringing = LockNotification(id: "line \(line)", title: time, body: text)
            do throws(NotifierError) {
                try await notifier.deliver(ringing)
            } catch {
                FileHandle.standardError.write(Data("line \(line) could not ring: \(error.message)\n".utf8))
            }
            afterwards()
        }
    }
}
