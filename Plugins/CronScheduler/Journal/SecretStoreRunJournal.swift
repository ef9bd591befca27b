public import PortcullisCore

/// A journal in a ``SecretStore``: runs are remembered as well as the store keeps its items.
///
/// Each group of runs is one item, written once: what the store makes durable in one write is remembered in one
/// write, also for 10,000 jobs with names of up to 100 bytes that are due together; only beyond that are there
/// several. When these items outgrow the table of all jobs they are folded into it. A crash at any point of that
/// leaves items that say the same twice.
///
/// One scheduler at a time writes a journal; a second one is noticed and refused.
public actor SecretStoreRunJournal: RunJournal {
    private let store: any SecretStore
    private let namespace: SecretNamespace
    /// What the items say, once they were read. Changed in place: a copy would be one of all jobs.
    private var table = Table()
    private var isLoaded = false
    private var isBusy = false
    private var turns: [CheckedContinuation<Void, Never>] = []

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
        await beginTurn()
        defer { endTurn() }
        try await load()
        var found: [ActivityName: RunRecord] = [:]
        for job in jobs { found[job] = table.records[job] }
        return found
    }

    /// Writes records.
    public func record(_ records: [ActivityName: RunRecord?]) async throws(RunJournalError) {
        await beginTurn()
        defer { endTurn() }
        try await load()
        // Forgetting what was never known is no news.
        let news = records.filter { $0.value != nil || table.records[$0.key] != nil }
        do throws(RunJournalError) {
            for page in Self.pages(of: news, from: &table.nextNumber) {
                let value = try page.encoded()
                try await write(value, to: groupName(page.number), if: .absent)
                table.groups.append(page.number)
                table.groupSize += value.count
            }
        } catch {
            // It may have come through all the same, in part or whole: the items are read again.
            isLoaded = false
            throw error
        }
        for (job, record) in news { table.records[job] = record }
        guard table.groupSize > max(65_536, 2 * table.pagesSize) else { return }
        do throws(RunJournalError) {
            try await fold()
        } catch {
            // The records are written. What became of the rest is read again; what is wrong with the store, the
            // next write tells.
            isLoaded = false
        }
    }

    private static func pages(
        of records: [ActivityName: RunRecord?],
        from number: inout UInt64
    ) -> [JournalPage] {
        var pages: [JournalPage] = []
        for (job, record) in records {
            if pages.last?.isFull != false {
                pages.append(JournalPage(number: number))
                number += 1
            }
            pages[pages.count - 1].append(job, record)
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
    ) async throws(RunJournalError) {
        let outcome: WriteOutcome
        do throws(SecretStoreError) {
            outcome = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: precondition
            )
        } catch {
            throw Self.failed(error)
        }
        if case .conflict = outcome {
            throw RunJournalError(code: .otherWriter, message: "another scheduler writes this journal")
        }
    }

    private func load() async throws(RunJournalError) {
        if isLoaded { return }
        var table = Table()
        var pages: [JournalPage] = []
        for (name, value) in try await items() {
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
            for (job, record) in try page.records() { table.records[job] = record }
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
        let pages = Self.pages(of: table.records.mapValues { $0 }, from: &table.nextNumber)
        var size = 0
        for (place, page) in pages.enumerated() {
            let value = try page.encoded()
            try await write(value, to: name("table-\(place)"), if: .none)
            size += value.count
        }
        for place in pages.count..<max(pages.count, table.pages) { try await remove(name("table-\(place)")) }
        for group in table.groups { try await remove(groupName(group)) }
        table.pages = pages.count
        table.pagesSize = size
        table.groups = []
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

// Turns: an actor lets other calls in wherever one of them waits for the store.
extension SecretStoreRunJournal {
    private func beginTurn() async {
        if isBusy {
            await withCheckedContinuation { turns.append($0) }
        } else {
            isBusy = true
        }
    }

    private func endTurn() {
        if turns.isEmpty { isBusy = false } else { turns.removeFirst().resume() }
    }
}
