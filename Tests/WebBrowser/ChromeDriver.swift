internal import Foundation

/// Chromium's driver as a process with one browser, and the requests that it understands (W3C WebDriver, and DevTools'
/// commands).
final class ChromeDriver: BrowserDriver {
    private let process: BrowserProcess
    let port: Int
    private let session: String

    private init(_ process: BrowserProcess, port: Int, session: String) {
        (self.process, self.port, self.session) = (process, port, session)
    }

    /// Starts a driver on a free port, and a browser by it.
    static func start(_ options: Browser.Options) async throws -> ChromeDriver {
        let pipe = Pipe()
        let process = try BrowserProcess("chromedriver", ["--port=0"], output: pipe)
        do {
            // On a thread of its own: Swift's pool has too few for those that wait.
            let told = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: port(toldBy: pipe.fileHandleForReading))
                }
            }
            guard let port = told.flatMap({ Int($0) }) else {
                throw Browser.Failure(description: "chromedriver told no port")
            }
            let answer = try await ask(port, "POST", "session", try JSONText(wish(options)))
            guard let session = (answer.value as? [String: Any])?["sessionId"] as? String else {
                throw Browser.Failure(description: "no session: \(answer.text)")
            }
            let driver = ChromeDriver(process, port: port, session: session)
            let metrics: [String: Any] = [
                "width": options.width, "height": options.height, "deviceScaleFactor": 1, "mobile": false,
            ]
            try await driver.cdp("Emulation.setDeviceMetricsOverride", metrics)
            return driver
        } catch {
            process.end()
            throw error
        }
    }

    private static func wish(_ options: Browser.Options) -> [String: Any] {
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
            "--window-size=\(options.width),\(options.height)", "--lang=en-US", "--no-first-run",
            "--disable-background-networking", "--allow-file-access-from-files",
        ]
        if options.reducesMotion { arguments.append("--force-prefers-reduced-motion") }
        if options.isDark { arguments.append("--blink-settings=preferredColorScheme=0") }
        var chrome: [String: Any] = ["args": arguments]
        if !options.hasScript { chrome["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
        return ["capabilities": ["alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": chrome]]]
    }

    private static func port(toldBy output: FileHandle) -> String? {
        var text = ""
        while let data = try? output.read(upToCount: 1), !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
            if let match = text.firstMatch(of: /on port ([0-9]+)\.\n/) { return String(match.1) }
        }
        return nil
    }

    func stop() async {
        _ = try? await Self.ask(port, "DELETE", "session/\(session)", "{}")
        process.end()
    }

    func send(_ command: BrowserCommand) async throws -> JSONText {
        try await Self.ask(port, command.method, "session/\(session)/\(command.path)", command.parameters)
    }

    /// Sends a command of DevTools.
    @discardableResult
    func cdp(_ command: String, _ parameters: [String: Any] = [:]) async throws -> JSONText {
        try await send(
            BrowserCommand("", "POST", "goog/cdp/execute", ["cmd": command, "params": parameters])
        )
    }

    private static func ask(_ port: Int, _ method: String, _ path: String, _ body: JSONText) async throws
        -> JSONText
    {
        let body = method == "POST" ? Array(body.text.utf8) : []
        let head =
            "\(method) /\(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let answer = try await DriverConnection.ask(port, Array(head.utf8) + body)
        let found = try JSONText.value(of: Data(answer.body))
        guard answer.status == 200 else {
            throw Browser.Failure(description: "\(method) \(path): \(found.text.prefix(500))")
        }
        return found
    }
}
