/// What a browser is told through: W3C WebDriver, over HTTP or by Marionette.
protocol BrowserDriver: Sendable {
    /// Sends a command, and waits for its value.
    ///
    /// - Throws: ``Browser/Failure`` with the driver's message.
    func send(_ command: BrowserCommand) async throws -> JSONText

    /// Ends the browser.
    func stop() async
}

/// A command of W3C WebDriver.
struct BrowserCommand: Sendable {
    /// Its name in Marionette, without "WebDriver:".
    let name: String
    /// Its method over HTTP.
    let method: String
    /// Its path over HTTP, beneath the session's.
    let path: String
    /// What it is told: with Marionette also what is in the path.
    let parameters: JSONText

    init(_ name: String, _ method: String, _ path: String, _ parameters: [String: Any] = [:]) throws {
        (self.name, self.method, self.path) = (name, method, path)
        self.parameters = try JSONText(parameters)
    }
}

/// The browsers that the tests drive.
package enum BrowserKind: String, Sendable, CaseIterable {
    case chromium, firefox

    /// Whether it is installed, with what drives it; where it is not, the tests that need it are skipped.
    package var isInstalled: Bool {
        switch self {
        case .chromium: ["chromedriver", "chromium"].allSatisfy { BrowserProcess.path(of: $0) != nil }
        case .firefox: BrowserProcess.path(of: "firefox-esr") != nil
        }
    }

    func start(_ options: Browser.Options) async throws -> any BrowserDriver {
        switch self {
        case .chromium: try await ChromeDriver.start(options)
        case .firefox: try await Marionette.start(options)
        }
    }
}
