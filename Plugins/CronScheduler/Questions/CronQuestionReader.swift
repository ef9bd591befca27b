#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads questions that are written as objects of JSON: `{"expr":"0 9 * * *","tz":"Europe/Riga","after":"…","count":3}`.
public struct CronQuestionReader: Sendable {
    private struct Request: Decodable {
        var expr: String
        var tz: String?
        var after: String?
        // Not Int: the decoder takes a fraction there for broken JSON.
        var count: Double?
    }

    private let defaults: CronQuestion
    private let decoder = JSONDecoder()

    /// A reader.
    ///
    /// - Parameter defaults: stands in for what an object leaves out: all but `expr` may be.
    public init(defaults: CronQuestion) { self.defaults = defaults }

    /// The question that an object asks.
    ///
    /// - Parameter bytes: one object of JSON.
    /// - Throws: ``CronQuestionError`` for what is no such object. What is in its members is not checked yet.
    public func question(in bytes: some Collection<UInt8>) throws(CronQuestionError) -> CronQuestion {
        let request: Request
        do {
            request = try decoder.decode(Request.self, from: Data(bytes))
        } catch {
            throw CronQuestionError(decoding: error)
        }
        var question = defaults
        question.expression = request.expr
        question.zone = request.tz.map { ZoneSetting(name: $0) } ?? defaults.zone
        question.time = request.after ?? defaults.time
        if let count = request.count {
            guard let whole = Int(exactly: count) else {
                throw CronQuestionError(field: "count", reason: "count \(count) is not a whole number")
            }
            question.count = whole
        }
        return question
    }
}

extension CronQuestionError {
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
