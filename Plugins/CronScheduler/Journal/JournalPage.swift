#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

/// One item with records of a ``SecretStoreRunJournal``. It is encoded as JSON, with times in microseconds
/// since 1970.
struct JournalPage: Codable, Sendable {
    /// The record of one job.
    struct Line: Codable, Sendable {
        var job: String
        /// The digest of the schedule. If `schedule`, `last` and `boot` are all `nil`, the job was removed.
        var schedule: UInt64?
        var last: Int?
        /// The index of the record's boot in the page's `boots`.
        var boot: Int?
        /// The record's `ahead`. Earlier versions of this module ignore it.
        var ahead: [Int]?
    }

    /// The number of the page. A line replaces the lines of the same job in pages with lower numbers.
    var number: UInt64
    var boots: [String] = []
    var lines: [Line] = []
    /// The random number of the table to which the page belongs. The value is `nil` for a group, and for a
    /// page of an earlier version of this module.
    var table: UInt64?
    /// The number of pages of that table; `nil` if ``table`` is `nil`.
    var pageCount: Int?

    /// The size in bytes at which a page is full. A store accepts values of 1 MiB, which leaves 148,576 bytes
    /// for one more line. The name in a line takes at most 6,144 bytes.
    private static let sizeLimit = 900_000
    private(set) var size = 128

    private enum CodingKeys: String, CodingKey {
        case number, boots, lines, table, pageCount
    }

    init(number: UInt64) { self.number = number }

    var isFull: Bool { size >= Self.sizeLimit }

    mutating func append(_ entry: JournalEntry) {
        let job = entry.job
        // An upper bound of the line's size. A byte of the name can take six bytes in JSON (`\u0000`). The
        // 130 bytes are for three numbers and the punctuation. A later time takes at most 20 bytes and a
        // comma.
        size += job.rawValue.utf8.count * 6 + 130 + (entry.record?.ahead.count ?? 0) * 21
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
            Line(
                job: job.rawValue,
                schedule: record.schedule,
                last: record.last.microseconds,
                boot: boot,
                ahead: record.ahead.isEmpty ? nil : record.ahead.map { $0.microseconds }
            )
        )
    }

    /// Returns the pages that count, in the order of their numbers. If all pages of a table are present, the
    /// table contains the records of all pages with lower numbers. The pages with lower numbers then do not
    /// count. They were written late, or were not removed yet.
    static func current(_ pages: [JournalPage]) -> [JournalPage] {
        let tables = Dictionary(grouping: pages.filter { $0.table != nil }, by: \.table).values
        let complete = tables.filter { $0.first?.pageCount == $0.count }.compactMap { $0.first?.number }
        let least = complete.max() ?? 0
        return pages.filter { $0.number >= least }.sorted { $0.number < $1.number }
    }

    /// Returns the entries. Throws `damaged` if a line has only some of `schedule`, `last` and `boot`, or if
    /// `boots` lacks the line's boot.
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
                    boot: BootID(boots[boot]),
                    ahead: (line.ahead ?? []).map { .microseconds($0) }
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
            // Times of jobs are not secret, so they may be copied to ordinary memory.
            Data(bytes.indices.map { bytes[$0] })
        }
        do {
            self = try JSONDecoder().decode(JournalPage.self, from: bytes)
        } catch {
            throw .damaged
        }
        // The next page needs a higher number, and no number is higher than `.max`.
        guard number < .max else { throw .damaged }
    }
}

extension RunJournalError {
    static let damaged = RunJournalError(
        code: .damaged,
        message: "the journal of runs is damaged; removing its items starts a new one"
    )
}
