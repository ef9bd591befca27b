#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

/// A part of a ``SecretStoreRunJournal``, as it is kept: JSON, with times in microseconds since 1970.
struct JournalPage: Codable, Sendable {
    /// What is known of one job.
    struct Line: Codable, Sendable {
        var job: String
        /// `nil` in all three: the job is forgotten.
        var schedule: UInt64?
        var last: Int?
        /// Which of the page's boots.
        var boot: Int?
    }

    /// Pages of later numbers go before those of earlier ones.
    var number: UInt64
    var boots: [String] = []
    var lines: [Line] = []

    /// A page with room left for one line of the longest name.
    private static let sizeLimit = 900_000
    private(set) var size = 64

    private enum CodingKeys: String, CodingKey {
        case number, boots, lines
    }

    init(number: UInt64) { self.number = number }

    var isFull: Bool { size >= Self.sizeLimit }

    mutating func append(_ entry: JournalEntry) {
        let job = entry.job
        // What JSON makes of the letters at worst, and the three numbers.
        size += job.rawValue.utf8.count * 6 + 100
        guard let record = entry.record else {
            lines.append(Line(job: job.rawValue))
            return
        }
        let boot: Int
        if boots.last == record.boot.rawValue {
            boot = boots.count - 1
        } else {
            boot = boots.count
            boots.append(record.boot.rawValue)
            size += record.boot.rawValue.utf8.count * 6
        }
        lines.append(
            Line(job: job.rawValue, schedule: record.schedule, last: record.last.microseconds, boot: boot)
        )
    }

    /// The entries; throws for a page that says half a record.
    func entries() throws(RunJournalError) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        entries.reserveCapacity(lines.count)
        for line in lines {
            let name = ActivityName(line.job)
            if let schedule = line.schedule, let last = line.last, let boot = line.boot,
                boots.indices.contains(boot)
            {
                let record = RunRecord(
                    schedule: schedule,
                    last: .microseconds(last),
                    boot: BootID(boots[boot])
                )
                entries.append(JournalEntry(job: name, record: record))
            } else if line.schedule == nil, line.last == nil, line.boot == nil {
                entries.append(JournalEntry(job: name, record: nil))
            } else {
                throw .damaged
            }
        }
        return entries
    }

    func encoded() throws(RunJournalError) -> SecretBytes {
        do {
            return SecretBytes(copying: try JSONEncoder().encode(self))
        } catch {
            throw RunJournalError(code: .damaged, message: "the journal cannot be encoded", cause: error)
        }
    }

    init(decoding value: SecretBytes) throws(RunJournalError) {
        let bytes = value.withBytes { bytes in
            // Times of jobs are no secret; they may be copied.
            Data(bytes.indices.map { bytes[$0] })
        }
        do {
            self = try JSONDecoder().decode(JournalPage.self, from: bytes)
        } catch {
            throw .damaged
        }
    }
}

extension RunJournalError {
    static let damaged = RunJournalError(
        code: .damaged,
        message: "the journal of runs is damaged; removing its items starts a new one"
    )
}
