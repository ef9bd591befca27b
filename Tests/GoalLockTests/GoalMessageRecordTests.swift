import Foundation
import GoalLock
import PortcullisCore
import Testing

/// What programs read of a run.
@Suite("Messages of a run as JSON")
struct GoalMessageRecordTests {
    private static func view(_ reason: GoalStatus.Reason?) -> GoalView {
        let status = GoalStatus(
            isEnabled: reason != .disabled,
            isEntitled: true,
            reason: reason,
            selection: ShieldSelection(
                apps: [AppToken("b"), AppToken("toy.desktop")],
                categories: [CategoryToken("Game")]
            ),
            progress: 4,
            goal: 10,
            dayStart: TimeOfDay(hour: 0, minute: 0)!,
            date: CivilDate(year: 2026, month: 11, day: 21),
            untilNextDay: .milliseconds(60_900)
        )
        let catalogue = ShieldCatalogue(
            apps: [.init(token: AppToken("toy.desktop"), label: "A\u{1B}toy")],
            categories: []
        )
        let coverage = ShieldCoverage(
            apps: [AppToken("b"): .refused(reason: "a shell"), AppToken("toy.desktop"): .gated],
            categories: [CategoryToken("Game"): .reactive]
        )
        return GoalView(
            status,
            title: "Steps",
            catalogue: catalogue,
            coverage: reason == nil ? coverage : nil,
            now: .seconds(10)
        )
    }

    private func json(_ message: GoalMessage) throws -> [String: Any] {
        let data = try JSONEncoder().encode(GoalMessageRecord(message, now: .seconds(10)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("A-2: a status tells what is shut, by label, and how")
    func status() throws {
        let members = try json(.status(Self.view(nil)))
        #expect(members["event"] as? String == "status" && members["date"] as? String == "2026-11-21")
        #expect(members["reason"] is NSNull, "shut and not said are not the same")
        #expect(members["shut"] as? Int == 2 && members["untilNextDay"] as? Int == 60)
        let apps = try #require(members["apps"] as? [[String: String]])
        #expect(apps.map { $0["label"] } == ["A\u{FFFD}toy", "b"])
        #expect(apps.map { $0["state"] } == ["gated", "refused"] && apps[1]["why"] == "a shell")
        let open = try json(.status(Self.view(.reached)))
        #expect(open["reason"] as? String == "reached" && open["unlocked"] as? Bool == true)
        #expect((open["apps"] as? [[String: String]])?.first?["state"] == nil)
    }

    private static let messages: [(GoalMessage, [String: String])] = [
        (.day(CivilDate(year: 2026, month: 11, day: 22)), ["event": "day", "date": "2026-11-22"]),
        (
            .started(GoalStart(token: "t", label: "T", isDenied: true), view(nil)),
            ["event": "started", "token": "t", "label": "T"]
        ),
        (.problem(.shield, "disk"), ["event": "problem", "about": "shield", "message": "disk"]),
        (.solved(.lock), ["event": "solved", "about": "lock"]),
        (.current, ["event": "solved", "about": "progress"]),
        (.ended(.reached), ["event": "ended", "reason": "reached"]),
        (.ended(.signal(15)), ["event": "ended", "reason": "signal"]),
        (.ended(.cancelled), ["event": "ended", "reason": "cancelled"]),
    ]

    @Test("A-2: each message by its event", arguments: messages)
    func others(_ row: (message: GoalMessage, members: [String: String])) throws {
        let members = try json(row.message)
        for (name, text) in row.members { #expect(members[name] as? String == text, "\(name)") }
        #expect((members["signal"] as? Int == 15) == (row.message == .ended(.signal(15))))
    }
}
