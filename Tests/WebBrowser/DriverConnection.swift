internal import Foundation

/// One request and its answer over a connection of its own. The system's URLSession refuses what chromedriver answers.
enum DriverConnection {
    /// On a thread of its own: Swift's pool has too few for those that wait.
    static func ask(_ port: Int, _ request: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try asking(port, request) }) }
        }
    }

    private static func asking(_ port: Int, _ request: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        let connection = try LocalConnection(port)
        try connection.write(request)
        var answer: [UInt8] = []
        while true {
            answer += try connection.read()
            if let (status, start, length) = head(answer), answer.count >= start + length {
                return (status, Array(answer[start..<start + length]))
            }
        }
    }

    /// The status, where the body begins, and how long it is; `nil` while the head is not whole.
    private static func head(_ answer: [UInt8]) -> (Int, Int, Int)? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let length = text.firstMatch(of: /content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        return (status, end.upperBound, length)
    }
}
