internal import ArgumentParser
internal import CMalloc
internal import CronScheduler
internal import FoundationEssentials

/// Tells how long the zones of the system's files take to be read, and how much memory they hold.
struct Zones: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the time that a zone takes to be read, and the memory of all zones."
    )

    @Argument(help: "The database as one text, from which the names come.")
    var text = "/usr/share/zoneinfo/tzdata.zi"

    func run() throws {
        let names = try String(contentsOfFile: text, encoding: .utf8).split(separator: "\n")
            .compactMap { line -> String? in
                let words = line.split(separator: " ")
                guard words.count > 2 else { return nil }
                return words[0] == "Z" ? String(words[1]) : words[0] == "L" ? String(words[2]) : nil
            }
            .filter { ZoneRules($0) != nil }
        let bytes = Self.allocatedBytes
        let zones = names.compactMap { ZoneRules($0) }
        print("\(zones.count) zones: \(Self.allocatedBytes - bytes) bytes")
        let slowest = names.map { name in
            (Stopwatch.best(of: 20, calls: 1) { Stopwatch.keep(ZoneRules(name)) }, name)
        }.max { $0.0 < $1.0 }
        let mean = Stopwatch.best(of: 10, calls: names.count) {
            for name in names { Stopwatch.keep(ZoneRules(name)) }
        }
        print("one zone, files in memory: \(Int(mean)) ns in the mean")
        if let slowest { print("the slowest, \(slowest.1): \(Int(slowest.0)) ns") }
    }

    /// What malloc has given out.
    private static var allocatedBytes: Int {
        let statistics = mallinfo2()
        return statistics.uordblks + statistics.hblkhd
    }
}
