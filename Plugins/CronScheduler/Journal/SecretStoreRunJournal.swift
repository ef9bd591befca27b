internal import AdapterKit
public import PortcullisCore

/// A journal in a ``/PortcullisCore/SecretStore``. Its records are as durable as the store's items.
///
/// The records of runs that are due together form a group. A group is one item, and becomes durable with one
/// write. This holds for groups of up to 1,200 jobs whose names have up to 100 bytes. Larger groups take
/// several items. Other items hold a table with the records of all jobs. Once the groups together are larger
/// than 64 KiB and more than twice as large as the table, their records are merged into the table. After a
/// crash during the merge, some records exist twice, which does no harm.
///
/// One journal writes the items at a time. At its first use, a journal takes the items over: it stores a
/// random value of its own in the item `owner`. From then on the previous journal throws
/// ``RunJournalErrorCode/otherWriter``. For example, if a program is started a second time while its first
/// process still runs, the second process does the work.
public actor SecretStoreRunJournal: RunJournal {
    private let store: any SecretStore
    private let namespace: SecretNamespace
    /// The content of the items, after they were read. It is changed in place, because a copy would contain
    /// the records of all jobs again.
    private var table = Table()
    private var isLoaded = false
    /// The random value that this journal writes to the item `owner` when it takes the items over.
    private let signature = SecretBytes(copying: Array("\(UInt64.random(in: .min ... .max))".utf8))
    private var ownership = Ownership.none
    private let turn = SerialTurn()

    private enum Ownership {
        case none
        /// The items belong to this journal. The journal claimed them with the group of this number.
        case owned(since: UInt64)
        /// Another journal took the items over.
        case lost
    }

    private struct Table {
        var records: [ActivityName: RunRecord] = [:]
        var nextNumber: UInt64 = 1
        /// The numbers in the names of the items `group-NUMBER`, which contain the groups of records.
        var groups: [UInt64] = []
        var groupSize = 0
        /// The versions of the items that contain the table of all jobs, as this journal has read or
        /// written them. After a merge that was interrupted, pages of two tables can be among them.
        var pages: [String: SecretVersion] = [:]
        var pagesSize = 0
    }

    /// Makes a journal in a store.
    ///
    /// - Parameters:
    ///   - store: stores the items. They can be read only on this device, and only after the device has been
    ///     unlocked once since its start.
    ///   - namespace: the namespace of the journal's items. It must hold no other items; default:
    ///     `portcullis.schedule`.
    public init(_ store: any SecretStore, namespace: SecretNamespace = .library("schedule")) {
        self.store = store
        self.namespace = namespace
    }

    /// Returns the last records of these jobs.
    public func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord] {
        await turn.begin()
        defer { turn.end() }
        try await open()
        var found: [ActivityName: RunRecord] = [:]
        for job in jobs { found[job] = table.records[job] }
        return found
    }

    /// Writes records, in one step if they fit into one item.
    ///
    /// - Throws: ``RunJournalError``. If the records take several items, the first items may have been
    ///   written.
    public func record(_ entries: [JournalEntry]) async throws(RunJournalError) {
        await turn.begin()
        defer { turn.end() }
        try await open()
        // A removal of a record that does not exist is not written. A removal is needed if the table has a
        // record of the job, or if another entry of this call writes one.
        let recorded = Set(entries.lazy.filter { $0.record != nil }.map(\.job))
        let news = entries.filter { recorded.contains($0.job) || table.records[$0.job] != nil }
        do throws(RunJournalError) {
            let pages = Self.pages(of: news) {
                defer { table.nextNumber += 1 }
                return table.nextNumber
            }
            for page in pages {
                guard try await append(page) else { throw try await isOwner() ? Self.changed : lose() }
            }
        } catch {
            // The write may have succeeded nevertheless, wholly or in part. So the items are read again.
            isLoaded = false
            throw error
        }
        for entry in news { table.records[entry.job] = entry.record }
        guard table.groupSize > max(65_536, 2 * table.pagesSize) else { return }
        do throws(RunJournalError) {
            try await fold()
        } catch {
            // The records are already written, so an error of the merge is dropped. Some groups may have been
            // merged into the table, so the items are read again. If the store stays unusable, the next call
            // throws.
            isLoaded = false
        }
    }

    private static func pages(of entries: [JournalEntry], numbered number: () -> UInt64) -> [JournalPage] {
        var pages: [JournalPage] = []
        for entry in entries {
            if pages.last?.isFull != false { pages.append(JournalPage(number: number())) }
            pages[pages.count - 1].append(entry)
        }
        return pages
    }
}

// The items in the store.
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
    ) async throws(RunJournalError) -> SecretVersion? {
        do throws(SecretStoreError) {
            let outcome = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: precondition
            )
            guard case .written(let version) = outcome else { return nil }
            return version
        } catch {
            throw Self.failed(error)
        }
    }

    /// Writes a group of records.
    ///
    /// - Returns: `false` if another journal has used the group's number.
    private func append(_ page: JournalPage) async throws(RunJournalError) -> Bool {
        let value = try page.encoded()
        guard try await write(value, to: groupName(page.number), if: .absent) != nil else { return false }
        table.groups.append(page.number)
        table.groupSize += value.count
        return true
    }

    private func load() async throws(RunJournalError) {
        if isLoaded { return }
        var table = Table()
        var pages: [JournalPage] = []
        for (name, item) in try await items() where name != Self.ownerName {
            let value = item.value
            let page = try JournalPage(decoding: value)
            pages.append(page)
            if name == "group-\(page.number)" {
                table.groups.append(page.number)
                table.groupSize += value.count
            } else {
                table.pages[name] = item.version
                table.pagesSize += value.count
            }
        }
        for page in JournalPage.current(pages) {
            for entry in try page.entries() { table.records[entry.job] = entry.record }
            table.nextNumber = max(table.nextNumber, page.number + 1)
        }
        table.groups.sort()
        self.table = table
        isLoaded = true
    }

    /// Reads all items as they are at one time.
    ///
    /// The previous journal may still be merging groups into the table. During a merge, a single reading
    /// could read an old page of the table, and then miss a group that was removed after the merge. So the
    /// items are read until two readings give the same versions.
    private func items() async throws(RunJournalError) -> [String: StoredSecret] {
        var items = try await itemsNow()
        while true {
            let before = items.mapValues(\.version)
            items = try await itemsNow()
            if items.mapValues(\.version) == before { return items }
        }
    }

    private func itemsNow() async throws(RunJournalError) -> [String: StoredSecret] {
        do throws(SecretStoreError) {
            var items: [String: StoredSecret] = [:]
            for name in try await store.names(in: namespace) { items[name.name] = try await store.read(name) }
            return items
        } catch {
            throw Self.failed(error)
        }
    }

    /// Writes the table of all jobs, then removes the earlier table and the groups that the table contains.
    ///
    /// The order of the steps keeps the records correct if the process ends at any point. The new pages are
    /// written first, under names that no page of the earlier table has. If a page were overwritten, the
    /// record of a job could be missing until another new page is written. Then the earlier pages are
    /// removed, and then the groups, the earliest group first. In another order, the group that removes a
    /// record could be gone while an earlier page or group still holds the record.
    ///
    /// The new pages get the number of the latest group. So their records take precedence over earlier groups
    /// and over an earlier table. For each job of the latest group, the group and the pages have the same
    /// record, or both have none. A journal that takes the items over meanwhile uses higher numbers, so its
    /// records take precedence.
    ///
    /// Another journal may take the items over while the pages are written. If that journal has not read all
    /// new pages, it still needs the earlier pages and the groups. So the owner is checked after the pages
    /// are written. If another journal owns the items, the new pages are removed, and the earlier pages and
    /// the groups stay.
    ///
    /// This journal may write a new page late, after a merge of the other journal has freed the page's name.
    /// If this journal then fails to check the owner or to remove the page, the page stays. It has a lower
    /// number than the other journal's table, so it does not count once that table is complete.
    private func fold() async throws(RunJournalError) {
        let entries = table.records.map { JournalEntry(job: $0, record: $1) }
        let latest = table.nextNumber - 1
        // A table without jobs is a page without lines, which keeps the number for the next journal.
        var pages = entries.isEmpty ? [JournalPage(number: latest)] : Self.pages(of: entries) { latest }
        let (id, count) = (UInt64.random(in: .min ... .max), pages.count)
        for index in pages.indices { (pages[index].table, pages[index].pageCount) = (id, count) }
        let names = (0..<table.pages.count + pages.count).map { "table-\($0)" }
        var new: [String: SecretVersion] = [:]
        var size = 0
        do throws(RunJournalError) {
            for (item, page) in zip(names.filter { table.pages[$0] == nil }, pages) {
                let value = try page.encoded()
                // If another journal has written the page, it has taken the items over. The next use of this
                // journal checks the owner again.
                guard let version = try await write(value, to: name(item), if: .absent) else {
                    throw Self.otherWriter
                }
                new[item] = version
                size += value.count
            }
            guard try await isOwner() else { throw lose() }
        } catch {
            // The records of the new pages are also in the earlier pages and in the groups.
            for (item, version) in new { try? await remove(name(item), if: .version(version)) }
            throw error
        }
        for (item, version) in table.pages { try await remove(name(item), if: .version(version)) }
        // The first group of this journal stays. The previous journal may still try to write a group with
        // the same number, and this write must fail.
        var kept: [UInt64] = []
        for group in table.groups {
            if case .owned(group) = ownership {
                kept.append(group)
            } else {
                try await remove(groupName(group))
            }
        }
        table.pages = new
        table.pagesSize = size
        table.groups = kept
        table.groupSize = 0
    }

    /// Removes an item. It is no error if the item is gone already: the previous journal may still be
    /// removing items that it has merged.
    private func remove(
        _ name: SecretName,
        if precondition: WritePrecondition = .none
    ) async throws(RunJournalError) {
        let outcome: RemoveOutcome
        do throws(SecretStoreError) {
            outcome = try await store.remove(name, if: precondition)
        } catch {
            throw Self.failed(error)
        }
        if case .conflict(current: _?) = outcome { throw Self.otherWriter }
    }
}

// The ownership of the items.
//
// A journal that takes the items over writes its signature, a random value, to the item `owner`. Then it
// reads the items, and claims the next number with a group without records. The previous journal checks the
// signature before each write, and finds another signature. If the previous journal checked the signature
// just before it changed, both journals try to write a group with the same number, and only one succeeds. If
// the new journal's claim is first, the previous journal's write fails. If the previous journal's write is
// first, the claim fails, and the new journal reads the items again.
//
// After each reading of the items, the signature is checked again. So the number that a journal uses next is
// never above the claim of a journal that has replaced it.
//
// A merge keeps the claim of its own journal, and removes the claims of earlier journals. In one case a
// journal writes although it has lost the items: between its check and its write, two other journals take the
// items over, and the second one merges. This case is accepted. A check after each write would find it. But
// with that check each takeover during a write would lose the runs of that write.
extension SecretStoreRunJournal {
    private static let ownerName = "owner"

    /// Makes sure that the items belong to this journal and were read.
    private func open() async throws(RunJournalError) {
        switch ownership {
        case .lost: throw Self.otherWriter
        case .owned:
            guard try await isOwner() else { throw lose() }
            if isLoaded { return }
            try await load()
            // While the items were read, another journal may have taken them over and claimed a number. This
            // journal would then write a number above the claim, and the other journal would lose the items
            // again. So the owner is checked once more.
            guard try await isOwner() else { throw lose() }
        case .none: try await takeOver()
        }
    }

    private func takeOver() async throws(RunJournalError) {
        let precondition = try await readOwner().map { WritePrecondition.version($0.version) } ?? .absent
        guard try await write(signature, to: name(Self.ownerName), if: precondition) != nil else {
            throw Self.otherWriter
        }
        while true {
            isLoaded = false
            try await load()
            // A later journal may have claimed a number already. Of two journals the later one keeps the
            // items.
            guard try await isOwner() else { throw lose() }
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

    private static let changed = RunJournalError(
        code: .store,
        message: "the journal's items have changed; they are read again"
    )

    private static let otherWriter = RunJournalError(
        code: .otherWriter,
        message: "another scheduler has taken this journal over"
    )

    /// Whether the items carry the signature of this journal.
    private func isOwner() async throws(RunJournalError) -> Bool {
        try await readOwner()?.value.matches(signature) == true
    }

    private func readOwner() async throws(RunJournalError) -> StoredSecret? {
        do throws(SecretStoreError) {
            return try await store.read(SecretName(Self.ownerName, in: namespace))
        } catch {
            throw Self.failed(error)
        }
    }
}
