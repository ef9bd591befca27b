package import Foundation

/// What Chromium alone can be asked.
extension Browser {
    /// The driver of a Chromium, which alone has DevTools and authenticators in software.
    var chromium: ChromeDriver {
        get throws {
            guard let chromium = driver as? ChromeDriver else {
                throw Failure(description: "this needs Chromium")
            }
            return chromium
        }
    }

    /// Sends a command of DevTools.
    @discardableResult
    package func cdp(_ command: String, _ parameters: [String: Any] = [:]) async throws -> JSONText {
        try await chromium.cdp(command, parameters)
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
