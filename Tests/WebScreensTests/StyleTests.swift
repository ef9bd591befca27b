import Foundation
import Testing
import WebScreens

@Suite("The style sheet (W-1)", .timeLimit(.minutes(5)))
struct StyleTests {
    private let style = String(decoding: WebAsset.style.bytes, as: UTF8.self)

    /// The custom properties of the first rule, or of the one for dark.
    private func properties(dark: Bool) throws -> [String: String] {
        let rules = style.components(separatedBy: ":root {")
        #expect(rules.count == 3)
        func read(_ rule: String) -> [String: String] {
            let body = rule.prefix { $0 != "}" }
            return body.split(separator: ";").reduce(into: [:]) { found, line in
                let parts = line.split(separator: ":", maxSplits: 1).map {
                    $0.trimmingCharacters(in: .whitespacesAndNewlines)
                }
                if parts.count == 2, parts[0].hasPrefix("--") { found[parts[0]] = parts[1] }
            }
        }
        let light = read(rules[1])
        return dark ? light.merging(read(rules[2])) { $1 } : light
    }

    /// The relative luminance of WCAG 2.2.
    private func luminance(_ colour: String) throws -> Double {
        let number = try #require(Int(colour.dropFirst(), radix: 16), "\(colour)")
        #expect(colour.count == 7)
        let parts = [number >> 16, number >> 8 & 255, number & 255].map { part -> Double in
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private func contrast(_ one: String, _ other: String, dark: Bool) throws -> Double {
        let colours = try properties(dark: dark)
        let values = try [one, other].map { try luminance(try #require(colours["--\($0)"])) }.sorted()
        return (values[1] + 0.05) / (values[0] + 0.05)
    }

    @Test("W-1: every text has a contrast of at least 4.5 to what it stands on", arguments: [false, true])
    func texts(dark: Bool) throws {
        let pairs = [
            ("ink", "paper"), ("ink", "surface"), ("ink", "pressed"), ("soft", "paper"), ("soft", "surface"),
            ("soft", "pressed"), ("accent", "paper"), ("accent", "surface"), ("accent", "pressed"),
            ("on-accent", "accent"), ("danger", "paper"), ("danger", "pressed"), ("on-danger", "danger"),
            ("paper", "ink"),
        ]
        for (text, ground) in pairs {
            let found = try contrast(text, ground, dark: dark)
            #expect(found >= 4.5, "\(text) on \(ground), \(dark ? "dark" : "light"): \(found)")
        }
        // Each colour that a text may have is among them.
        let used = Set(style.matches(of: /[ ;{]color: var\(--([a-z-]+)\)/).map { String($0.1) })
        #expect(used.isSubset(of: Set(pairs.map(\.0))), "\(used)")
    }

    @Test(
        "W-1: what shows a state or the bounds of a control has a contrast of at least 3",
        arguments: [false, true]
    )
    func marks(dark: Bool) throws {
        for (mark, ground) in [
            ("line", "paper"), ("line", "surface"), ("soft", "paper"), ("accent", "paper"),
            ("accent", "surface"),
        ] {
            let found = try contrast(mark, ground, dark: dark)
            #expect(found >= 3, "\(mark) on \(ground), \(dark ? "dark" : "light"): \(found)")
        }
    }

    @Test("P-30: the shake is 10·sin(2πt)")
    func shake() throws {
        let frames = style.matches(of: /([0-9.]+)% { transform: translateX\((-?[0-9.]+)px\); }/)
        #expect(frames.count == 10)
        for frame in frames {
            let time = try #require(Double(frame.1)) / 100
            let offset = try #require(Double(frame.2))
            #expect(abs(offset - 10 * sin(2 * .pi * time)) < 0.01)
        }
        #expect(style.contains(".shake { animation: shake 400ms linear; }"))
    }

    @Test("P-24: a screen comes by opacity, slow at both ends, in a quarter of a second")
    func transition() {
        #expect(style.contains("animation: appear 250ms var(--ease)"))
        #expect(style.contains("--ease: cubic-bezier(0.42, 0, 0.58, 1)"))
    }

    @Test("W-1: reduced motion, forced colours, safe areas and targets of 44 px are there")
    func rest() {
        for part in [
            "prefers-reduced-motion: reduce", "forced-colors: active", "env(safe-area-inset-bottom)",
            "touch-action: manipulation",
            "max(44px, 10.5vh)", "min-height: 44px", "min-height: 48px; min-width: 44px",
        ] { #expect(style.contains(part), "\(part)") }
    }
}
