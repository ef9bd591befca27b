internal import AdapterKit
public import PortcullisCore

/// A journal in a ``/PortcullisCore/SecretStore``: runs are remembered as well as the store keeps its items.
///
/// Each group of runs is one item, written once: what the store makes durable in one write is remembered in one
/// write, also for 10,000 jobs with names of up to 100 bytes that are due together; only beyond that are there
/// several. When these items outgrow the table of all jobs they are folded into it. A crash at any point of that
/// leaves items that say the same twice.
///
/// One journal writes the items at a time. Each takes them over when it is first used, under a name of its own, and
/// the one that had them until then is refused with ``RunJournalErrorCode/otherWriter`` from then on: when a program is
/// started while its predecessor still runs, the later one does the work.
public actor SecretStoreRunJournal: RunJournal {
    private let store: any SecretStore
    private let namespace: SecretNamespace
    /// What the items say, once they were read. Changed in place: a copy would be one of all jobs.
    private var table = Table()
    private var isLoaded = false
    /// What this journal signs the items with.
    private let signature = SecretBytes(copying: Array("\(UInt64.random(in: .min ... .max))".utf8))
    private var ownership = Ownership.none
    private let turn = SerialTurn()

    private enum Ownership {
        case none
        /// The items are this journal's, since the group of a number.
        case owned(since: UInt64)
        /// Another one took them over.
        case lost
    }

    private struct Table {
        var records: [ActivityName: RunRecord] = [:]
        var nextNumber: UInt64 = 1
        /// The numbers of the items that hold groups of runs.
        var groups: [UInt64] = []
        var groupSize = 0
        /// The number of items that hold the folded table.
        var pages = 0
        var pagesSize = 0
    }

    /// A journal in a store.
    ///
    /// - Parameters:
    ///   - store: keeps the items, readable from the first unlock on and on this device only.
    ///   - namespace: whose items are the journal and nothing else; default: `portcullis.schedule`.
    public init(_ store: any SecretStore, namespace: SecretNamespace = .library("schedule")) {
        self.store = store
        self.namespace = namespace
    }

    /// The last records of these jobs.
    public func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord] {
        await turn.begin()
        defer { turn.end() }
        try await open()
        var found: [ActivityName: RunRecord] = [:]
        for job in jobs { found[job] = table.records[job] }
        return found
    }

    /// Writes records.
    public func record(_ entries: [JournalEntry]) async throws(RunJournalError) {
        await turn.begin()
        defer { turn.end() }
        try await open()
        // Forgetting a job changes nothing, unless it is known, be it by an entry before.
        let recorded = Set(entries.lazy.filter { $0.record != nil }.map(\.job))
        let news = entries.filter { recorded.contains($0.job) || table.records[$0.job] != nil }
        do throws(RunJournalError) {
            for page in Self.pages(of: news, from: &table.nextNumber) {
                guard try await append(page) else { throw lose() }
            }
        } catch {
            // It may have come through all the same, in part or whole: the items are read again.
            isLoaded = false
            throw error
        }
        for entry in news { table.records[entry.job] = entry.record }
        guard table.groupSize > max(65_536, 2 * table.pagesSize) else { return }
        do throws(RunJournalError) {
            try await fold()
        } catch {
            // The records are written. What became of the rest is read again; what is wrong with the store, the
            // next write tells.
            isLoaded = false
        }
    }

    private static func pages(of entries: [JournalEntry], from number: inout UInt64) -> [JournalPage] {
        var pages: [JournalPage] = []
        for entry in entries {
            if pages.last?.isFull != false {
                pages.append(JournalPage(number: number))
                number += 1
            }
            pages[pages.count - 1].append(entry)
        }
        return pages
    }
}

// Items.
extension SecretStoreRunJournal {
    private func groupName(_ number: UInt64) throws(RunJournalError) -> SecretName {
        try name("group-\(number)")
    }

    private func name(_ text: String) throws(RunJournalError) -> SecretName {
        do throws(SecretStoreError) { return try SecretName(text, in: namespace) } catch {
            throw Self.failed(error)
        }
    }

    private static func failed(_ error: SecretStoreError) -> RunJournalError {
        RunJournalError(code: .store, message: error.message, cause: error)
    }

    private func write(
        _ value: SecretBytes,
        to name: SecretName,
        if precondition: WritePrecondition
    ) async throws(RunJournalError) -> Bool {
        do throws(SecretStoreError) {
            let outcome = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: precondition
            )
            if case .conflict = outcome { return false }
            return true
        } catch {
            throw Self.failed(error)
        }
    }

    /// Writes a group of records.
    ///
    /// - Returns: `false` when its number was taken, by another journal.
    private func append(_ page: JournalPage) async throws(RunJournalError) -> Bool {
        let value = try page.encoded()
        guard try await write(value, to: groupName(page.number), if: .absent) else { return false }
        table.groups.append(page.number)
        table.groupSize += value.count
        return true
    }

    private func load() async throws(RunJournalError) {
        if isLoaded { return }
        var table = Table()
        var pages: [JournalPage] = []
        for (name, value) in try await items() where name != Self.ownerName {
            let page = try JournalPage(decoding: value)
            pages.append(page)
            if name == "group-\(page.number)" {
                table.groups.append(page.number)
                table.groupSize += value.count
            } else {
                table.pages += 1
                table.pagesSize += value.count
            }
        }
        for page in pages.sorted(by: { $0.number < $1.number }) {
            for entry in try page.entries() { table.records[entry.job] = entry.record }
            table.nextNumber = max(table.nextNumber, page.number + 1)
        }
        table.groups.sort()
        self.table = table
        isLoaded = true
    }

    private func items() async throws(RunJournalError) -> [(name: String, value: SecretBytes)] {
        do throws(SecretStoreError) {
            var items: [(name: String, value: SecretBytes)] = []
            for name in try await store.names(in: namespace) {
                if let item = try await store.read(name) { items.append((name.name, item.value)) }
            }
            return items
        } catch {
            throw Self.failed(error)
        }
    }

    /// Writes the table of all jobs and removes the groups that it holds.
    ///
    /// In an order that a crash may end anywhere: the pages carry the number of the last group, so that they go
    /// before all groups and before pages of an earlier folding; a group goes only when nothing needs it, the
    /// earliest first, because a later one may forget what an earlier one says.
    private func fold() async throws(RunJournalError) {
        let entries = table.records.map { JournalEntry(job: $0, record: $1) }
        let pages = Self.pages(of: entries, from: &table.nextNumber)
        var size = 0
        for (place, page) in pages.enumerated() {
            let value = try page.encoded()
            _ = try await write(value, to: name("table-\(place)"), if: .none)
            size += value.count
        }
        // From the last on, so that the names stay without holes wherever it ends.
        for place in (pages.count..<max(pages.count, table.pages)).reversed() {
            try await remove(name("table-\(place)"))
        }
        // But for the first group of this journal: an earlier scheduler may still have to find its number
        // taken.
        var kept: [UInt64] = []
        for group in table.groups {
            if case .owned(group) = ownership {
                kept.append(group)
            } else {
                try await remove(groupName(group))
            }
        }
        table.pages = pages.count
        table.pagesSize = size
        table.groups = kept
        table.groupSize = 0
    }

    private func remove(_ name: SecretName) async throws(RunJournalError) {
        do throws(SecretStoreError) {
            try await store.remove(name)
        } catch {
            throw Self.failed(error)
        }
    }
}

// Ownership.
//
// A journal that takes the items over signs them, reads them, and then writes an empty group under the next number.
// The one before it sees the signature when it comes to write; or, if it had looked just before, finds its number
// taken. If it was first to use that number, the new one reads again.
extension SecretStoreRunJournal {
    private static let ownerName = "owner"

    /// Makes sure that the items are this journal's and known.
    private func open() async throws(RunJournalError) {
        switch ownership {
        case .lost: throw Self.otherWriter
        case .owned:
            guard let owner = try await readOwner(), owner.value.matches(signature) else { throw lose() }
            try await load()
        case .none: try await takeOver()
        }
    }

    private func takeOver() async throws(RunJournalError) {
        let precondition = try await readOwner().map { WritePrecondition.version($0.version) } ?? .absent
        guard try await write(signature, to: name(Self.ownerName), if: precondition) else {
            throw Self.otherWriter
        }
        while true {
            isLoaded = false
            try await load()
            let claim = JournalPage(number: table.nextNumber)
            table.nextNumber += 1
            if try await append(claim) {
                ownership = .owned(since: claim.number)
                return
            }
        }
    }

    private func lose() -> RunJournalError {
        ownership = .lost
        return Self.otherWriter
    }

    private static let otherWriter = RunJournalError(
        code: .otherWriter,
        message: "another scheduler has taken this journal over"
    )

    private func readOwner() async throws(RunJournalError) -> StoredSecret? {
        do throws(SecretStoreError) {
            return try await store.read(SecretName(Self.ownerName, in: namespace))
        } catch {
            throw Self.failed(error)
        }
    }
}
