import PortcullisCore
import PortcullisTesting

/// Zones with a change forward and, a week later, one back; days count from 2026-01-01 local time.
enum TransitionZones: String, CaseIterable {
    case none, hourAtTwo, halfHourAtTwo, gapAtMidnight, twoHours, dayLong, eveningChange, twiceInADay

    /// 2026-01-01T00:00:00Z.
    static let origin = Duration.seconds(1_767_225_600)
    static let changeDay = 5
    static let returnDay = 12

    var zone: ManualZone {
        switch self {
        case .none: make("None", offset: 0, forward: 0, by: 0)
        case .hourAtTwo: make("HourAtTwo", offset: 60, forward: 120, by: 60)
        case .halfHourAtTwo: make("HalfHourAtTwo", offset: 630, forward: 120, by: 30)
        case .gapAtMidnight: make("GapAtMidnight", offset: -180, forward: 0, by: 60)
        case .twoHours: make("TwoHours", offset: 0, forward: 60, by: 120)
        case .dayLong: make("DayLong", offset: -600, forward: 0, by: 1_440)
        case .eveningChange: make("EveningChange", offset: 345, forward: 23 * 60 + 30, by: 60)
        case .twiceInADay:
            ManualZone(
                "TwiceInADay",
                offset: .zero,
                changes: [
                    .init(at: Self.time(Self.changeDay, 120), to: .seconds(3_600)),
                    .init(at: Self.time(Self.changeDay, 600), to: .seconds(-3_600)),
                    .init(at: Self.time(Self.returnDay, 0), to: .zero),
                ]
            )
        }
    }

    /// A time of UTC.
    static func time(_ day: Int, _ minute: Int) -> Duration { origin + .seconds((day * 1_440 + minute) * 60) }

    /// At that local minute of the one day forward, and of the other day back again.
    private func make(_ name: String, offset: Int, forward minute: Int, by change: Int) -> ManualZone {
        ManualZone(
            "Test/\(name)",
            offset: .seconds(offset * 60),
            changes: change == 0
                ? []
                : [
                    .init(
                        at: Self.time(Self.changeDay, minute - offset),
                        to: .seconds((offset + change) * 60)
                    ),
                    .init(
                        at: Self.time(Self.returnDay, minute + 60 - offset - change),
                        to: .seconds(offset * 60)
                    ),
                ]
        )
    }
}
