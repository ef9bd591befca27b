package import Foundation

/// A headless Chromium with one profile of its own.
package struct Browser: Sendable {
    /// How it looks and what it runs.
    package struct Options: Sendable {
        package var width = 500
        package var height = 800
        package var isDark = false
        package var hasScript = true
        package var reducesMotion = true

        package init() {}
    }

    let driver: ChromeDriver
    private let session: String

    /// Opens one, hands it to `body`, and closes it.
    package static func open<Value>(
        _ options: Options = Options(),
        _ body: (Browser) async throws -> Value
    ) async throws -> Value {
        let driver = try await ChromeDriver()
        defer { driver.stop() }
        var arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
            "--window-size=\(options.width),\(options.height)", "--lang=en-US", "--no-first-run",
            "--disable-background-networking", "--allow-file-access-from-files",
        ]
        if options.reducesMotion { arguments.append("--force-prefers-reduced-motion") }
        if options.isDark { arguments.append("--blink-settings=preferredColorScheme=0") }
        var chrome: [String: Any] = ["args": arguments]
        if !options.hasScript { chrome["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
        let wish: [String: Any] = [
            "capabilities": ["alwaysMatch": ["browserName": "chrome", "goog:chromeOptions": chrome]]
        ]
        let answer = try await driver.send("POST", "session", try JSONText(wish))
        guard let session = (answer.value as? [String: Any])?["sessionId"] as? String else {
            throw ChromeDriver.Failure(description: "no session: \(answer.text)")
        }
        let browser = Browser(driver: driver, session: session)
        try await browser.cdp(
            "Emulation.setDeviceMetricsOverride",
            ["width": options.width, "height": options.height, "deviceScaleFactor": 1, "mobile": false]
        )
        do {
            let value = try await body(browser)
            _ = try await driver.send("DELETE", "session/\(session)")
            return value
        } catch {
            _ = try? await driver.send("DELETE", "session/\(session)")
            throw error
        }
    }

    func send(_ method: String, _ path: String, _ body: [String: Any] = [:]) async throws -> JSONText {
        try await driver.send(method, "session/\(session)/\(path)", try JSONText(body))
    }

    // MARK: Pages and tabs

    package func go(_ address: String) async throws { _ = try await send("POST", "url", ["url": address]) }
    package func back() async throws { _ = try await send("POST", "back") }
    package func reload() async throws { _ = try await send("POST", "refresh") }

    /// Opens another tab and goes to it; the one before is hidden.
    ///
    /// - Returns: the name of the tab that was left.
    @discardableResult
    package func newTab() async throws -> String {
        let before = try await send("GET", "window").value as? String ?? ""
        let made = try await send("POST", "window/new", ["type": "tab"]).value as? [String: Any]
        try await switchTo(made?["handle"] as? String ?? "")
        return before
    }

    package func switchTo(_ tab: String) async throws {
        _ = try await send("POST", "window", ["handle": tab])
        try await cdp("Page.bringToFront")
    }

    package func closeTab() async throws { _ = try await send("DELETE", "window") }

    // MARK: What is seen

    /// Runs a script in the page; what it returns becomes a text.
    @discardableResult
    package func run(_ script: String) async throws -> String {
        let answer = try await send("POST", "execute/sync", ["script": script, "args": [String]()])
        switch answer.value {
        case let text as String: return text
        case is NSNull, nil: return ""
        default: return answer.text
        }
    }

    /// All the text that is seen.
    package var text: String {
        get async throws { try await run("return document.body ? document.body.innerText : ''") }
    }
    /// All that the document holds.
    package var source: String { get async throws { try await send("GET", "source").value as? String ?? "" } }

    // MARK: What a person does

    /// Clicks the first element that a CSS selector finds.
    package func click(_ selector: String) async throws {
        _ = try await send("POST", "element/\(try await element(selector))/click")
    }

    /// Types into the first element that a CSS selector finds.
    package func type(_ text: String, into selector: String) async throws {
        _ = try await send("POST", "element/\(try await element(selector))/value", ["text": text])
    }

    private func element(_ selector: String) async throws -> String {
        let wish = ["using": "css selector", "value": selector]
        let found = try await send("POST", "element", wish).value as? [String: String]
        guard let id = found?.values.first else { throw ChromeDriver.Failure(description: "no \(selector)") }
        return id
    }

    /// Presses keys, wherever the focus is.
    package func press(_ keys: String) async throws {
        let actions = keys.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        _ = try await send(
            "POST",
            "actions",
            ["actions": [["type": "key", "id": "keys", "actions": actions]]]
        )
    }

    // MARK: DevTools

    /// Sends a command of DevTools.
    @discardableResult
    package func cdp(_ command: String, _ parameters: [String: Any] = [:]) async throws -> JSONText {
        try await send("POST", "goog/cdp/execute", ["cmd": command, "params": parameters])
    }

    /// The page as a PNG.
    package func screenshot() async throws -> Data {
        let answer = try await cdp("Page.captureScreenshot", ["format": "png"]).value as? [String: Any]
        return (answer?["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
    }

    /// What a screen reader is told: a line for each node that says something, its role, name and states.
    package func accessibilityTree() async throws -> String {
        try await cdp("Accessibility.enable")
        let answer = try await cdp("Accessibility.getFullAXTree").value as? [String: Any]
        let nodes = answer?["nodes"] as? [[String: Any]] ?? []
        var byID: [String: [String: Any]] = [:]
        for node in nodes { byID[node["nodeId"] as? String ?? ""] = node }
        var lines: [String] = []
        func visit(_ id: String, _ depth: Int) {
            guard let node = byID[id] else { return }
            let line = Self.line(node)
            if let line { lines.append(String(repeating: "  ", count: depth) + line) }
            for child in node["childIds"] as? [String] ?? [] { visit(child, line == nil ? depth : depth + 1) }
        }
        if let root = nodes.first?["nodeId"] as? String { visit(root, 0) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ node: [String: Any]) -> String? {
        func text(_ key: String) -> String { ((node[key] as? [String: Any])?["value"] as? String) ?? "" }
        let role = text("role")
        if node["ignored"] as? Bool == true
            || ["InlineTextBox", "StaticText", "none", "generic"].contains(role)
        {
            return nil
        }
        var states: [String] = []
        let wanted = [
            "disabled", "checked", "modal", "live", "invalid", "level", "focused", "busy", "atomic",
            "required",
        ]
        for property in node["properties"] as? [[String: Any]] ?? [] {
            let name = property["name"] as? String ?? ""
            guard wanted.contains(name), let value = (property["value"] as? [String: Any])?["value"] else {
                continue
            }
            let shown = (value as? Bool).map { $0 ? "true" : "false" } ?? "\(value)"
            if shown != "false" && !(name == "focused") { states.append("\(name)=\(shown)") }
        }
        let name = text("name")
        let detail = text("description")
        return
            ([role, name.isEmpty ? nil : "\"\(name)\"", detail.isEmpty ? nil : "(\(detail))"]
            + states.sorted())
            .compactMap(\.self).joined(separator: " ")
    }
}
