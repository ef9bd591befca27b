internal import ArgumentParser
internal import PortcullisCore

/// A time of day as a person types it: `04:00`.
struct TimeOfDayArgument: ExpressibleByArgument {
    let time: TimeOfDay

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]),
            let time = TimeOfDay(hour: hour, minute: minute)
        else { return nil }
        self.time = time
    }
}
