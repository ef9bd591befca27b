internal import CronScheduler
internal import LinuxSystem
internal import PortcullisCore
internal import SystemClock

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `schedule next --batch`: answers the lines of standard input.
struct ScheduleBatch: ~Copyable {
    private let questions: CronQuestionReader
    private let clock: SystemClock
    private let encoder = JSONEncoder()
    private var zones = ZoneCache()
    private var output = OutputBuffer()

    init(defaults: CronQuestion, clock: SystemClock) {
        questions = CronQuestionReader(defaults: defaults)
        self.clock = clock
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    consuming func run() throws(ToolFailure) {
        var input = LineReader(Descriptors.standardInput)
        // Answers are written before the reader waits, so a caller can send a line and wait for its answer.
        while let line = try input.next(beforeWaiting: { () throws(ToolFailure) in try output.flush() }) {
            if case .failed = line { throw ToolFailure("standard input cannot be read", .refused) }
            if case .bytes(let bytes) = line, bytes.allSatisfy(Self.isBlank) { continue }
            switch Result(catching: { () throws(CronQuestionError) in try inquiry(line) }) {
            case .success(let inquiry): try answer(inquiry)
            case .failure(let failure): report(failure)
            }
            try output.flushIfFull()
        }
        try output.flush()
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private mutating func inquiry(_ line: LineReader.Line) throws(CronQuestionError) -> CronInquiry {
        guard case .bytes(let bytes) = line else {
            throw CronQuestionError(reason: "the line is longer than \(LineReader.longest) bytes")
        }
        return try CronInquiry(questions.question(in: bytes), &zones)
    }

    private mutating func answer(_ inquiry: CronInquiry) throws(ToolFailure) {
        var isFirst = true
        output.append("{\"next\":[")
        let now = inquiry.time == nil ? clock.now.wall : .zero
        _ = try inquiry.next(now: now) { (second) throws(ToolFailure) in
            output.append(isFirst ? "\"" : ",\"")
            output.append(second, in: inquiry.zone)
            output.append("\"")
            isFirst = false
            try output.flushIfFull()
        }
        output.append("]}\n")
    }

    private mutating func report(_ failure: CronQuestionError) {
        guard let data = try? encoder.encode(FailureReport(failure: failure)) else {
            preconditionFailure("texts and numbers are always JSON")
        }
        output.append(String(decoding: data, as: UTF8.self))
        output.append("\n")
    }
}
