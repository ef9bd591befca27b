import Foundation
import Testing

/// What `schedule check` and `explain` print of texts that are made to be answered by kilobytes.
@Suite("portcullis schedule: hostile expressions", .timeLimit(.minutes(5)))
struct ScheduleHostileTests {
    private static func list(_ item: (Int) -> String) -> String {
        var items: [String] = []
        var bytes = 0
        for number in 0... {
            let next = item(number)
            bytes += next.utf8.count + 1
            guard bytes < 4_000 else { break }
            items.append(next)
        }
        return items.joined(separator: ",")
    }

    private static let days =
        (1...31).map { "\($0)W" }.joined(separator: ",") + ","
        + (0...30).map { "L-\($0),L-\($0)W" }.joined(separator: ",")
    private static let weekdays = (0...6).flatMap { day in (1...5).map { "\(day)#\($0)" } }.joined(
        separator: ","
    )
    private static let scattered = (0...59).filter { $0 % 2 == 1 || $0 % 6 == 0 }.map { "\($0)" }.joined(
        separator: ","
    )

    private static let hostile = [
        list { _ in "*/90" } + " * * * *", list { "0/\(60 + $0)" } + " * * * *",
        "0 0 0 1 1 * " + list { "\(1970 + $0 * 2 % 8_000)" },
        "0 0 0 1 1 * " + list { "\($0 % 9 + 1)/\(300 + $0)" },
        "0 0 0 1 1 * " + (0..<40).map { "\(1971 + 9 * $0)/2\($0)1" }.joined(separator: ","),
        "\(scattered) \(scattered) 1,3,6,8,11,23 \(days) 1,3,6 \(weekdays)",
        "\(scattered) \(scattered) 1,3,6,8,11,23 */2,\(days) 1,3,6 \(weekdays)",
        "a" + String(repeating: "\u{301}", count: 2_000) + " * * * *",
        String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", count: 290),
        String(repeating: "x", count: 100_000), "@" + String(repeating: "\u{1F511}", count: 900) + " b",
        "CRON_TZ=" + String(repeating: "a/", count: 2_000) + " * * * * *",
        "CRON_TZ=GMT+" + String(repeating: "0", count: 3_000) + "2 * * * * *",
    ]

    @Test("S-1: check and explain print 4 kB at the most, whatever they are given", arguments: hostile)
    func bounded(_ text: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for command in ["check", "explain"] {
            for options in [[], ["--json"], ["--tz", String(repeating: "Z", count: 10_000)]] {
                let outcome = try await tool.run(
                    ["schedule", command] + options + ["--", text],
                    input: Data()
                )
                #expect([0, 2].contains(outcome.status))
                let printed = outcome.output.count + outcome.errors.utf8.count
                #expect((1...4_096).contains(printed), "\(command) \(options.first ?? ""): \(printed) bytes")
            }
        }
    }

    @Test("S-1: warnings that are not shown are counted")
    func more() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let text = (0..<5).map { unit in (60..<64).map { "1/\($0 + unit)" }.joined(separator: ",") }.joined(
            separator: " "
        )
        let plain = try await tool.run("schedule", "check", text)
        let shown = plain.text.split(separator: "\n").count { $0.hasPrefix("warning: ") }
        let json = try await tool.run("schedule", "check", "--json", text)
        let more = try #require(json.json["moreWarnings"] as? Int)
        #expect((json.json["warnings"] as? [Any])?.count == shown)
        #expect(plain.text.contains("\nand \(more) more warning"))
        let few = try await tool.run("schedule", "check", "--json", "0 0 31 * *")
        #expect(few.json["moreWarnings"] == nil)
    }
}
