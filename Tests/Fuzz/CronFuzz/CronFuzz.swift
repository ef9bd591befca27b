internal import CFuzzer
import Foundation
import CronScheduler

/// What the times are asked for: UTC, a zone with daylight saving time, and one whose clocks change by half an hour.
private let zones = [
    ZoneRules.utc,
    ZoneRules("Europe/Riga") ?? .utc,
    ZoneRules("Australia/Lord_Howe") ?? .utc,
]

/// 2026-01-01T00:00:00Z, and the hours before clocks go forward and back that year in the second zone.
private let moments = [1_767_225_600, 1_774_742_400, 1_792_886_400]

/// Reads a text as an expression, and demands of its times what holds for all expressions.
private func fuzzCron(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    do {
        let expression = try CronExpression(text)
        for zone in zones {
            for moment in moments { demandOrder(expression, moment, zone) }
            _ = expression.warnings(in: zone, from: moments[0])
        }
        _ = expression.explanation
        demandSame(expression)
    } catch {
        precondition(!error.description.isEmpty, "an error without words")
    }
    return 0
}

/// Next is strictly later, previous is its inverse, and nothing lies in between.
private func demandOrder(_ expression: CronExpression, _ moment: Int, _ zone: ZoneRules) {
    guard expression.interval == nil, let next = expression.nextSecond(after: moment, in: zone) else {
        return
    }
    precondition(!expression.neverFires, "fires, though it never does")
    precondition(next > moment, "not later")
    precondition(expression.nextSecond(after: next - 1, in: zone) == next, "not its own next")
    precondition(expression.previousSecond(before: next + 1, in: zone) == next, "previous is not the inverse")
    if let before = expression.previousSecond(before: next, in: zone) {
        precondition(before <= moment, "something lies in between")
        precondition(expression.nextSecond(after: before, in: zone) == next, "next is not the inverse")
    }
}

/// What it says of itself is an expression that means the same, but for lists of years that few letters name and many
/// write out.
private func demandSame(_ expression: CronExpression) {
    do {
        let again = try CronExpression(expression.description)
        precondition(again == expression, "its description means something else")
    } catch  where error.code == .tooLong {
        return
    } catch {
        preconditionFailure("its description is no expression: \(error)")
    }
}

@main
enum CronFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzCron($0, $1) })
    }
}
