internal import Foundation

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Chromium's driver as a process, and the requests that it understands (W3C WebDriver, and DevTools' commands).
package final class ChromeDriver: Sendable {
    /// Why something could not be done.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Whether Chromium and its driver are installed; where they are not, the tests that need them are skipped.
    package static let isInstalled = ["chromedriver", "chromium"].allSatisfy { path(of: $0) != nil }

    private static func path(of name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private let process: Process
    let port: Int

    /// Starts a driver on a free port.
    package init() async throws {
        guard let path = Self.path(of: "chromedriver") else {
            throw Failure(description: "chromedriver is missing")
        }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["--port=0"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        // On a thread of its own: Swift's pool has too few for those that wait.
        let port = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Self.port(toldBy: pipe.fileHandleForReading))
            }
        }
        guard let port = port.flatMap({ Int($0) }) else {
            Self.end(process)
            throw Failure(description: "chromedriver told no port")
        }
        self.port = port
    }

    private static func port(toldBy output: FileHandle) -> String? {
        var text = ""
        while let data = try? output.read(upToCount: 1), !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: /on port ([0-9]+)\.\n/) { return String(match.1) }
        }
        return nil
    }

    /// Ends the driver, and the browsers that it started.
    package func stop() { Self.end(process) }

    /// Kills the driver's process group, which its browsers belong to. SIGTERM may be blocked in it, as in the process that
    /// started it.
    private static func end(_ process: Process) {
        let id = process.processIdentifier
        kill(getpgid(id) == id ? -id : id, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a command.
    ///
    /// - Parameters:
    ///   - method: of the request.
    ///   - path: beneath the driver's address.
    ///   - body: what is sent as JSON.
    /// - Returns: the answer's value.
    /// - Throws: ``Failure`` with the driver's message.
    package func send(_ method: String, _ path: String, _ body: JSONText = "{}") async throws -> JSONText {
        let body = method == "POST" ? Array(body.text.utf8) : []
        let head =
            "\(method) /\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let answer = try await DriverConnection.ask(port, Array(head.utf8) + body)
        let found = try JSONText.value(of: Data(answer.body))
        guard answer.status == 200 else {
            throw Failure(description: "\(method) \(path): \(found.text.prefix(500))")
        }
        return found
    }
}

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
