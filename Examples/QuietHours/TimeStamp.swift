internal import Foundation
internal import PortcullisCore

/// A clock's present time for people: `Fri 2026-03-06 21:00`.
enum TimeStamp {
    static func now(of clock: any LockClock) -> String {
        let wall = clock.now.wall
        let date = clock.civilDate(at: wall, dayStart: .zero)
        let seconds = Int(wall.components.seconds)
        let offset = TimeZone(identifier: clock.zone)?
            .secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let minutes = (seconds + (offset ?? 0)) / 60 % 1_440
        let time = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return "\(Weekday(of: date).name) \(date) \(time)"
    }
}
