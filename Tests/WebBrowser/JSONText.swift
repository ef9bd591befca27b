internal import Foundation

/// A value in JSON, as text: what is passed between tasks.
package struct JSONText: Sendable, ExpressibleByStringLiteral {
    /// The text.
    package let text: String

    package init(stringLiteral value: String) { text = value }
    package init(_ text: String) { self.text = text }

    /// A value of dictionaries, lists, texts, numbers and truth values.
    package init(_ value: Any) throws {
        text = String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]),
            as: UTF8.self
        )
    }

    /// The value.
    package var value: Any? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
    }

    static func value(of data: Data) throws -> JSONText {
        let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return try JSONText(answer?["value"] ?? NSNull())
    }
}
