internal import Foundation

/// A headless browser with one profile of its own.
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

    /// Why something could not be done.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    let driver: any BrowserDriver

    /// Opens one, hands it to `body`, and closes it.
    package static func open<Value>(
        in kind: BrowserKind = .chromium,
        _ options: Options = Options(),
        _ body: (Browser) async throws -> Value
    ) async throws -> Value {
        let driver = try await kind.start(options)
        do {
            let value = try await body(Browser(driver: driver))
            await driver.stop()
            return value
        } catch {
            await driver.stop()
            throw error
        }
    }

    @discardableResult
    private func send(_ name: String, _ method: String, _ path: String, _ parameters: [String: Any] = [:])
        async throws -> JSONText
    {
        try await driver.send(BrowserCommand(name, method, path, parameters))
    }

    // MARK: Pages and tabs

    package func go(_ address: String) async throws {
        try await send("Navigate", "POST", "url", ["url": address])
    }
    package func back() async throws { try await send("Back", "POST", "back") }
    package func reload() async throws { try await send("Refresh", "POST", "refresh") }

    /// The name of the tab that is driven.
    package var tab: String {
        get async throws {
            try await send("GetWindowHandle", "GET", "window").value as? String ?? ""
        }
    }

    /// Opens another tab and goes to it; the one before is hidden.
    ///
    /// - Returns: the name of the tab that was left.
    @discardableResult
    package func newTab() async throws -> String {
        let before = try await tab
        let made = try await send("NewWindow", "POST", "window/new", ["type": "tab"]).value as? [String: Any]
        try await switchTo(made?["handle"] as? String ?? "")
        return before
    }

    package func switchTo(_ tab: String) async throws {
        try await send("SwitchToWindow", "POST", "window", ["handle": tab])
        // Firefox does so by itself.
        if let chromium = driver as? ChromeDriver { try await chromium.cdp("Page.bringToFront") }
    }

    /// Drops all cookies of the page's site.
    package func forgetCookies() async throws { try await send("DeleteAllCookies", "DELETE", "cookie") }

    package func closeTab() async throws { try await send("CloseWindow", "DELETE", "window") }

    // MARK: What is seen

    /// Runs a script in the page; what it returns becomes a text.
    @discardableResult
    package func run(_ script: String) async throws -> String {
        let answer = try await send(
            "ExecuteScript",
            "POST",
            "execute/sync",
            ["script": script, "args": [String]()]
        )
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
    package var source: String {
        get async throws { try await send("GetPageSource", "GET", "source").value as? String ?? "" }
    }

    // MARK: What a person does

    /// Clicks the first element that a CSS selector finds.
    package func click(_ selector: String) async throws {
        let id = try await element(selector)
        try await send("ElementClick", "POST", "element/\(id)/click", ["id": id])
    }

    /// Types into the first element that a CSS selector finds.
    package func type(_ text: String, into selector: String) async throws {
        let id = try await element(selector)
        try await send("ElementSendKeys", "POST", "element/\(id)/value", ["id": id, "text": text])
    }

    private func element(_ selector: String) async throws -> String {
        let wish = ["using": "css selector", "value": selector]
        let found = try await send("FindElement", "POST", "element", wish).value as? [String: String]
        guard let id = found?.values.first else { throw Failure(description: "no \(selector)") }
        return id
    }

    /// Presses keys, wherever the focus is.
    package func press(_ keys: String) async throws {
        let actions = keys.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        try await send(
            "PerformActions",
            "POST",
            "actions",
            ["actions": [["type": "key", "id": "keys", "actions": actions]]]
        )
    }
}
