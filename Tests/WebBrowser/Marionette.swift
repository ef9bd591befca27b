internal import Foundation
internal import Synchronization

/// A headless Firefox with a profile of its own, driven by Marionette: over TCP a message is its length, a colon and JSON,
/// a command `[0, number, name, parameters]` and its answer `[1, number, error, value]`.
final class Marionette: BrowserDriver {
    private let process: BrowserProcess
    private let profile: URL
    private let line: Mutex<Line>

    private init(_ process: BrowserProcess, _ profile: URL, _ line: consuming sending Line) {
        (self.process, self.profile) = (process, profile)
        self.line = Mutex(line)
    }

    static func start(_ options: Browser.Options) async throws -> Marionette {
        let profile = FileManager.default.temporaryDirectory.appending(
            path: "firefox-\(UUID().uuidString)",
            directoryHint: .isDirectory
        )
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        do {
            try Data(settings(options).utf8).write(to: profile.appending(path: "user.js"))
            let process = try BrowserProcess(
                "firefox-esr",
                ["--headless", "--marionette", "--no-remote", "--profile", profile.path]
            )
            do {
                let port = try await port(of: process, profile)
                let driver = Marionette(process, profile, Line(try LocalConnection(port)))
                try await driver.begin(options)
                return driver
            } catch {
                process.end()
                throw error
            }
        } catch {
            try? FileManager.default.removeItem(at: profile)
            throw error
        }
    }

    private static func settings(_ options: Browser.Options) -> String {
        let settings = [
            // Any free port.
            "marionette.port": 0,
            "ui.prefersReducedMotion": options.reducesMotion ? 1 : 0,
            "ui.systemUsesDarkTheme": options.isDark ? 1 : 0,
            "browser.startup.page": 0,
        ]
        let switches = [
            "javascript.enabled": options.hasScript,
            "browser.newtabpage.enabled": false,
            "datareporting.policy.dataSubmissionEnabled": false,
        ]
        let lines =
            settings.map { "user_pref(\"\($0)\", \($1));" } + switches.map { "user_pref(\"\($0)\", \($1));" }
        return lines.joined(separator: "\n")
    }

    /// The port that it listens on, which it writes into its profile.
    private static func port(of process: BrowserProcess, _ profile: URL) async throws -> Int {
        let file = profile.appending(path: "MarionetteActivePort")
        let due = ContinuousClock.now + .seconds(60)
        while process.isRunning, ContinuousClock.now < due {
            if let port = (try? String(contentsOf: file, encoding: .utf8)).flatMap({ Int($0) }) {
                return port
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Browser.Failure(description: "firefox-esr told no port")
    }

    private func begin(_ options: Browser.Options) async throws {
        _ = try await send(BrowserCommand("NewSession", "", "", ["capabilities": [String: Any]()]))
        _ = try await send(
            BrowserCommand("SetWindowRect", "", "", ["width": options.width, "height": options.height])
        )
    }

    func stop() {
        process.end()
        try? FileManager.default.removeItem(at: profile)
    }

    func send(_ command: BrowserCommand) async throws -> JSONText {
        // On a thread of its own: Swift's pool has too few for those that wait.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                continuation.resume(with: Result { try line.withLock { try $0.ask(command) } })
            }
        }
    }

    /// The connection, and what of it has been read.
    private struct Line: ~Copyable, Sendable {
        private let connection: LocalConnection
        private var bytes: [UInt8] = []
        private var count = 0

        init(_ connection: consuming LocalConnection) {
            self.connection = connection
        }

        mutating func ask(_ command: BrowserCommand) throws -> JSONText {
            // The first message says what listens.
            if count == 0 { _ = try message() }
            count += 1
            let text = "[0,\(count),\"WebDriver:\(command.name)\",\(command.parameters.text)]"
            try connection.write(Array("\(text.utf8.count):\(text)".utf8))
            guard let answer = try JSONSerialization.jsonObject(with: message()) as? [Any], answer.count == 4,
                answer[1] as? Int == count
            else { throw Browser.Failure(description: "\(command.name): no answer") }
            if let error = answer[2] as? [String: Any] {
                let (kind, why) = (error["error"] as? String ?? "", error["message"] as? String ?? "")
                throw Browser.Failure(description: "\(command.name): \(kind): \(why.prefix(500))")
            }
            // A value that is no object comes in one.
            let fields = answer[3] as? [String: Any]
            return try JSONText(fields?.count == 1 ? fields?["value"] ?? answer[3] : answer[3])
        }

        private mutating func message() throws -> Data {
            while true {
                if let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
                    let length = Int(String(decoding: bytes[..<colon], as: UTF8.self)),
                    bytes.count > colon + length
                {
                    let end = colon + 1 + length
                    defer { bytes.removeFirst(end) }
                    return Data(bytes[(colon + 1)..<end])
                }
                bytes += try connection.read()
            }
        }
    }
}
