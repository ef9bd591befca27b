internal import ArgumentParser
internal import CMalloc
internal import CronScheduler
internal import FoundationEssentials
internal import PortcullisCore
internal import SystemClock

/// Tells how much memory a job takes in a scheduler.
struct Memory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the bytes of a job, without its handler."
    )

    @Argument(help: "A file with the expression of each job.") var file: String
    @Flag(help: "With an in-memory journal.") var journal = false

    func run() async throws {
        // Not part of the scheduler: the texts, and what reading the first expression leaves behind.
        let texts = try Inputs.table(file).map { $0[0] }
        _ = try CronExpression("@daily")
        let bytes = Self.allocatedBytes
        let pages = try Self.residentPages()

        let scheduler = CronScheduler(clock: SystemClock(), journal: journal ? InMemoryRunJournal() : nil)
        try await scheduler.add(jobs(texts))

        let count = Double(texts.count)
        let added = Double(Self.allocatedBytes - bytes)
        let kind = String(file.split(separator: "/").last ?? "")
        ResultLine(measure: journal ? "memory-journal" : "memory", zone: kind, value: added / count).write()
        let resident = try (Self.residentPages() - pages) * 4_096
        ResultLine(
            measure: journal ? "resident-journal" : "resident",
            zone: kind,
            value: Double(resident) / count
        ).write()
        await scheduler.shutDown()
    }

    private func jobs(_ texts: [String]) throws -> [CronJob] {
        try texts.enumerated().map { index, text in
            let digits = String(index)
            let name = "job-" + String(repeating: "0", count: 5 - min(5, digits.count)) + digits
            return CronJob(ActivityName(name), at: try CronExpression(text)) { _ in }
        }
    }

    /// What malloc has given out.
    private static var allocatedBytes: Int {
        let statistics = mallinfo2()
        return statistics.uordblks + statistics.hblkhd
    }

    private static func residentPages() throws -> Int {
        let columns = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard columns.count > 1, let pages = Int(columns[1]) else {
            throw ValidationError("/proc/self/statm cannot be read")
        }
        return pages
    }
}
