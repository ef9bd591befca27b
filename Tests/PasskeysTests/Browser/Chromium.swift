#if Passkeys
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A headless Chromium, driven through chromedriver (W3C WebDriver, with its extension for authenticators).
///
/// The page is chromedriver's own: WebAuthn needs a page of a secure origin, which each on `localhost` is, and no content.
final class Chromium: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    static let isInstalled = program("chromium") != nil && program("chromedriver") != nil

    private static func program(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private let port: UInt16
    private let driver: Mutex<Process>
    private let session: String

    init() async throws {
        let process = Process()
        guard let program = Self.program("chromedriver") else {
            throw Failure(description: "no chromedriver")
        }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--port=0"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        guard let port = await Self.port(output.fileHandleForReading) else {
            Self.kill(process)
            throw Failure(description: "chromedriver did not start")
        }
        self.port = port
        // As root in a container Chromium has no sandbox to give.
        let options = [
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        ]
        let made = try? await Self.call(
            "POST",
            "/session",
            ["capabilities": ["alwaysMatch": ["goog:chromeOptions": options]]],
            port: port
        )
        guard let id = (made as? [String: Any])?["sessionId"] as? String else {
            Self.kill(process)
            throw Failure(description: "chromedriver started no browser")
        }
        session = "/session/\(id)"
        driver = Mutex(process)
        _ = try await call("POST", "/url", ["url": "\(origin)/status"])
    }

    /// The port that chromedriver tells once it listens.
    private static func port(_ output: FileHandle) async -> UInt16? {
        let (pieces, piece) = AsyncStream<Data>.makeStream()
        output.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { piece.finish() } else { piece.yield(data) }
        }
        defer { output.readabilityHandler = nil }
        var told = ""
        for await piece in pieces {
            told += String(decoding: piece, as: UTF8.self)
            if let match = told.firstMatch(of: /started successfully on port (\d+)/) {
                return UInt16(match.1)
            }
        }
        return nil
    }

    /// Not by SIGTERM, which it may have inherited as blocked.
    private static func kill(_ process: Process) {
        #if canImport(Darwin)
        Darwin.kill(process.processIdentifier, SIGKILL)
        #else
        Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
    }

    /// The origin of the page.
    var origin: String { "http://localhost:\(port)" }

    /// Ends the browser.
    func end() async {
        _ = try? await Self.call("DELETE", session, nil, port: port)
        driver.withLock { Self.kill($0) }
    }

    @discardableResult
    func call(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> sending Any {
        try await Self.call(method, session + path, body, port: port)
    }

    private static func call(
        _ method: String,
        _ path: String,
        _ body: [String: Any]?,
        port: UInt16
    ) async throws -> sending Any {
        let sent = try body.map { Array(try JSONSerialization.data(withJSONObject: $0)) } ?? []
        let data = Data(try await DriverConnection.exchange(method, path, port: port, body: sent))
        guard let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let value = answer["value"]
        else { throw Failure(description: "no answer") }
        if let error = (value as? [String: Any])?["error"] {
            throw Failure(description: "\(error): \((value as? [String: Any])?["message"] ?? "")")
        }
        return value
    }

    /// Adds an authenticator that consents to everything.
    func addAuthenticator(_ extensions: [String]) async throws -> String {
        let added = try await call(
            "POST",
            "/webauthn/authenticator",
            [
                "protocol": "ctap2_1", "transport": "internal", "hasResidentKey": true,
                "hasUserVerification": true,
                "isUserVerified": true, "isUserConsenting": true, "extensions": extensions,
            ]
        )
        guard let id = added as? String else { throw Failure(description: "no authenticator") }
        return id
    }

    /// What the page's script sends for a prompt.
    func answer(options: String, creates: Bool) async throws -> String {
        let (method, parse) =
            creates ? ("create", "parseCreationOptionsFromJSON") : ("get", "parseRequestOptionsFromJSON")
        let script = """
            const [options, done] = arguments;
            navigator.credentials.\(method)({publicKey: PublicKeyCredential.\(parse)(JSON.parse(options))})
              .then(made => done(JSON.stringify(made.toJSON())), error => done(JSON.stringify({error: error.name})));
            """
        guard
            let text = try await call("POST", "/execute/async", ["script": script, "args": [options]])
                as? String
        else { throw Failure(description: "the script gave nothing") }
        return text
    }
}
#endif
