internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `schedule next --batch`: answers lines until there are no more.
struct ScheduleBatch: ~Copyable {
    private struct Request: Decodable {
        var expr: String
        var tz: String?
        var after: String?
        // Not Int: the decoder takes a fraction there for broken JSON.
        var count: Double?
    }

    private let defaults: ScheduleQuestion
    private let clock: SystemClock
    private let decoder = JSONDecoder()
    private let encoder = JSONEncoder()
    private var zones = ZoneCache()
    private var output = OutputBuffer()

    init(defaults: ScheduleQuestion, clock: SystemClock) {
        self.defaults = defaults
        self.clock = clock
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    consuming func run() throws(ToolFailure) {
        var input = LineReader()
        // A caller that asks line by line gets each answer before the next question is waited for.
        while let line = try input.next(beforeWaiting: { () throws(ToolFailure) in try output.flush() }) {
            if case .bytes(let bytes) = line, bytes.allSatisfy(Self.isBlank) { continue }
            switch Result(catching: { () throws(ScheduleFailure) in try inquiry(line) }) {
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

    private mutating func inquiry(_ line: LineReader.Line) throws(ScheduleFailure) -> ScheduleInquiry {
        guard case .bytes(let bytes) = line else {
            throw ScheduleFailure(reason: "the line is longer than \(LineReader.longest) bytes")
        }
        let request: Request
        do {
            request = try decoder.decode(Request.self, from: Data(bytes))
        } catch {
            throw ScheduleFailure(decoding: error)
        }
        var question = defaults
        question.expression = request.expr
        question.zone = request.tz.map { ZoneSetting(name: $0) } ?? defaults.zone
        question.time = request.after ?? defaults.time
        if let count = request.count {
            guard let whole = Int(exactly: count) else {
                throw ScheduleFailure(field: "count", reason: "count \(count) is not a whole number")
            }
            question.count = whole
        }
        return try ScheduleInquiry(question, &zones)
    }

    private mutating func answer(_ inquiry: ScheduleInquiry) throws(ToolFailure) {
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

    private mutating func report(_ failure: ScheduleFailure) {
        guard let data = try? encoder.encode(FailureReport(failure: failure)) else {
            preconditionFailure("texts and numbers are always JSON")
        }
        output.append(String(decoding: data, as: UTF8.self))
        output.append("\n")
    }
}

extension ScheduleFailure {
    /// What is wrong with a line's JSON.
    fileprivate init(decoding error: any Error) {
        let shape = "write an object: {\"expr\":\"0 9 * * *\",\"tz\":\"Europe/Riga\",\"count\":3}"
        switch error as? DecodingError {
        case .keyNotFound(let key, _):
            self.init(field: key.stringValue, reason: "“\(key.stringValue)” is missing", hint: shape)
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            guard let key = context.codingPath.last?.stringValue else {
                self.init(reason: "not an object", hint: shape)
                return
            }
            let kind = key == "count" ? "a number" : "text"
            self.init(field: key, reason: "“\(key)” is not \(kind)", hint: shape)
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            let key = context.codingPath.last?.stringValue
            self.init(field: key, reason: "“\(key ?? "")” cannot be read", hint: shape)
        default:
            self.init(reason: "not JSON", hint: shape)
        }
    }
}
