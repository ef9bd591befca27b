#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads questions that are written as JSON objects, such as
/// `{"expr":"0 9 * * *","tz":"Europe/Riga","after":"…","count":3}`.
public struct CronQuestionReader: Sendable {
    private struct Request: Decodable {
        var expr: String
        var tz: String?
        var after: String?
        // `Double` lets the decoder accept a fraction. With `Int` the decoder would report a fraction as
        // broken JSON.
        var count: Double?
    }

    private let defaults: CronQuestion
    private let decoder = JSONDecoder()

    /// Makes a reader.
    ///
    /// - Parameter defaults: the values for members that an object leaves out. Only the member `expr` is
    ///   required.
    public init(defaults: CronQuestion) { self.defaults = defaults }

    /// Reads a question from an object of JSON.
    ///
    /// - Parameter bytes: one object of JSON.
    /// - Throws: ``CronQuestionError`` if the bytes are not a JSON object with these members, or if `count`
    ///   is not a whole number. ``CronInquiry`` checks the values further.
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
    /// Makes the error for bytes that could not be decoded as a question.
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
