internal import Gcrypt
internal import PortcullisCore

/// Reads and writes the records of a store's rollback anchor.
struct Anchor: Sendable {
    let port: any RollbackAnchor
    let ring: KeyRing

    private static let magic: [UInt8] = [0x89, 0x50, 0x4B, 0x41, 0x4E, 0x0D, 0x0A, 0x1A]
    static let size = 128

    struct Witness {
        var count: UInt64
        var fileGeneration: UInt64
        var sequence: UInt64
        var tag: [UInt8]
        /// The counter's value that belongs to this record; 0 if the anchor has no counter.
        var number: UInt64 = 0

        /// Whether a file may have the state in this record, or a later one. The frame's tag is not compared.
        ///
        /// A file that has replaced the record's file has a higher file generation, and begins after the
        /// record's frame. A complete file of a killed compaction has a higher file generation too. If the
        /// store has had commits since, the file of the compaction begins at or before the record's frame,
        /// and is older.
        ///
        /// - Parameters:
        ///   - header: the header of the file.
        ///   - last: the sequence number of the file's last frame.
        func mayBeReached(by header: HeaderPage, last: UInt64) -> Bool {
            if header.fileGeneration > fileGeneration { return header.firstSequence > sequence }
            return header.fileGeneration == fileGeneration && last >= sequence
        }
    }

    /// Whether the anchor's last record and its counter fit the store. Nothing is changed, and no lock is
    /// needed.
    ///
    /// If the result is `false`, the anchor has no record, or the record's number differs from the counter's
    /// value. The difference may be no rollback: another process may have written a record and not yet raised
    /// the counter. So the caller takes the store's lock, reads the records and the store again, and calls
    /// ``settle(_:against:_:_:)``.
    ///
    /// - Parameter witness: the result of ``read()``, called before the store was read. In the opposite order
    ///   a commit of another process between the two reads would make the store look old.
    /// - Throws: `rolledBack` if the store is older than the state in the record.
    func accepts(_ view: StoreView, against witness: Witness?) throws(SecretStoreError) -> Bool {
        guard let witness, try lead(of: witness, view) == 0 else { return false }
        try demandSeen(witness, view)
        return true
    }

    /// Refuses a store that is older than the state in the anchor's last record. If the anchor has no record
    /// yet, the first one is written.
    ///
    /// A writer writes a record before it raises the counter. If the writer was stopped between these two
    /// steps, the record's number is one above the counter's value. This method then raises the counter.
    /// Without the raise, an older copy of store and anchor would still fit the counter.
    ///
    /// The caller holds the lock. Without the lock, two processes could raise the counter for the same
    /// record, and the store would be refused for good.
    ///
    /// The stopped writer may not have made its record durable. So this method writes the record again,
    /// durably, before it raises the counter.
    ///
    /// - Parameters:
    ///   - witness: the result of ``read()``. Record and store were read with the lock held.
    ///   - notice: the notice in the lock's file. After a failed sync no first record is written, because it
    ///     could name a frame that is not on disk. The writer that repairs the file writes the record.
    func settle(
        _ view: StoreView,
        against witness: Witness?,
        _ notice: LockNotice,
        _: borrowing HeldLock
    ) throws(SecretStoreError) {
        guard let witness else {
            // If the store uses a counter, the anchor always has a record of the store. So the missing record
            // was removed, and the store may be an older one.
            if port.counter != nil, view.header.counter != 0 {
                throw olderStore(view, "the record of the store's anchor is missing")
            }
            if !notice.hasFailedSync { try begin(view) }
            return
        }
        if try demandNotOlder(view, than: witness) {
            var again = witness
            again.count = try witness.count.next(port.place)
            try keep(again, isCounted: true, view, for: .other)
        }
    }

    /// Refuses a store that is older than the state in a record. Nothing is changed.
    ///
    /// The caller has read the record already, and this method reads the counter. The caller ensures that no
    /// other process writes between these two reads. Otherwise an old record would be compared with a new
    /// counter, and the store would be refused wrongly.
    ///
    /// - Returns: whether the counter has yet to be raised to the record's number.
    @discardableResult
    func demandNotOlder(_ view: StoreView, than witness: Witness) throws(SecretStoreError) -> Bool {
        let lead = try lead(of: witness, view)
        guard lead <= 1 else { throw olderStore(view) }
        try demandSeen(witness, view)
        return lead == 1
    }

    /// By how much a record is ahead of the counter; 0 if the store uses no counter. The result for a record
    /// that is behind the counter is a very large number.
    private func lead(of witness: Witness, _ view: StoreView) throws(SecretStoreError) -> UInt64 {
        guard let value = try counterValue(view) else { return 0 }
        return witness.number &- value
    }

    /// The counter's value; `nil` if the store uses no counter.
    private func counterValue(_ view: StoreView) throws(SecretStoreError) -> UInt64? {
        guard let counter = port.counter, view.header.counter != 0 else { return nil }
        guard let value = try counter.value(of: view.header.counter, store: ring.storeID) else {
            throw olderStore(view, "the counter of the store's anchor is missing, or is another one")
        }
        return value
    }

    private func demandSeen(_ witness: Witness, _ view: StoreView) throws(SecretStoreError) {
        guard witness.mayBeReached(by: view.header, last: view.cursor.sequence - 1) else {
            throw olderStore(view)
        }
        if view.header.fileGeneration > witness.fileGeneration { return }
        guard try tag(of: witness.sequence, view) == witness.tag else { throw olderStore(view) }
    }

    func olderStore(
        _ view: StoreView,
        _ message: String = "the store is older than its anchor witnessed"
    ) -> SecretStoreError {
        SecretStoreError(code: .rolledBack, message: message, path: view.log.path)
    }

    private func begin(_ view: StoreView) throws(SecretStoreError) {
        // The frames that were just read, or the file's name, may not be on disk yet. Without these syncs,
        // the record could name a frame or a file that a power failure removes.
        let log = view.log
        let folder = try FilePlace(path: log.path).openFolder(log.files)
        do {
            try log.files.syncData(log.descriptor.number)
            try log.files.syncFolder(folder.number)
        } catch {
            // The caller notes the failure, because the system reports it to one sync only.
            throw SecretStoreError(
                code: .durabilityUnknown,
                message: "a sync failed; open the store again to see what is on disk",
                path: log.path,
                cause: error
            )
        }
        try note(view, for: .setUp)
    }

    /// Writes the store's present state to the anchor. The caller holds the store's lock. The counter is
    /// raised in three cases: it counts changes for this reason, the anchor has no record, or the last record
    /// is ahead of the counter. Throws `rolledBack` if the anchor has recorded a later state, or if the
    /// counter is missing.
    func note(_ view: StoreView, for reason: AnchorReason) throws(SecretStoreError) {
        let last = try read()
        if let last, !last.mayBeReached(by: view.header, last: view.cursor.sequence - 1) {
            throw olderStore(view)
        }
        let number = try number(after: last, view, for: reason)
        let witness = Witness(
            count: try (last?.count ?? 0).next(port.place),
            fileGeneration: view.header.fileGeneration,
            sequence: view.cursor.sequence - 1,
            tag: view.cursor.lastTag,
            number: number.next
        )
        try keep(witness, isCounted: number.isRaised, view, for: reason)
    }

    /// Writes a record to the anchor, and then raises the counter if `isCounted` is `true`.
    ///
    /// The counter keeps its new value after a power failure. So the record for which the counter is raised
    /// must be durable. If that record were lost, the store would be refused for good. An anchor may lose a
    /// record with the reason `other`, so the record gets a stronger reason here.
    private func keep(
        _ witness: Witness,
        isCounted: Bool,
        _ view: StoreView,
        for reason: AnchorReason
    ) throws(SecretStoreError) {
        var record = Self.magic
        record.append(witness.count)
        record += ring.storeID
        record.append(witness.fileGeneration)
        record.append(witness.sequence)
        record += witness.tag
        record.append(witness.number)
        record += [UInt8](repeating: 0, count: 24)
        do { record += try Digest.authenticate(record, under: ring.anchorKey) } catch {
            throw .gcrypt(error, port.place)
        }
        try port.keep(record, turn: witness.count, for: isCounted ? max(reason, .libraryItems) : reason)
        if isCounted { try port.counter?.raise(view.header.counter, store: ring.storeID) }
    }

    /// Returns the counter's value for a new record, and whether the counter must be raised to this value.
    private func number(
        after last: Witness?,
        _ view: StoreView,
        for reason: AnchorReason
    ) throws(SecretStoreError) -> (next: UInt64, isRaised: Bool) {
        // Without a counter the new record repeats the value of the last record.
        guard let counter = port.counter, let value = try counterValue(view) else {
            return (last?.number ?? 0, false)
        }
        // If the last record is one ahead of the counter, its writer was stopped before it raised the
        // counter. The counter is then raised with the new record.
        let isAhead = last?.number == value &+ 1
        guard counter.counts(reason) || isAhead || last == nil else { return (value, false) }
        return (value &+ 1, true)
    }

    /// Reads the latest record; `nil` if the anchor has none yet.
    func read() throws(SecretStoreError) -> Witness? {
        try port.records().flatMap { (bytes) throws(SecretStoreError) in try witness(in: bytes) }
    }

    /// Finds this store's latest valid record in the anchor's bytes; `nil` if the anchor's first write was
    /// cut short.
    func witness(in bytes: [UInt8]) throws(SecretStoreError) -> Witness? {
        do {
            var best: Witness?
            for start in stride(from: 0, through: bytes.count - Self.size, by: Self.size) {
                let record = bytes.slice(start, Self.size)
                let mac = try Digest.authenticate(record[..<96], under: ring.anchorKey)
                guard record.slice(0, 8) == Self.magic, mac == record.slice(96, 32),
                    record.slice(16, 16) == ring.storeID
                else { continue }
                let witness = Witness(
                    count: record.number(at: 8),
                    fileGeneration: record.number(at: 32),
                    sequence: record.number(at: 40),
                    tag: record.slice(48, 16),
                    number: record.number(at: 64)
                )
                guard witness.count.isCounted, witness.sequence.isCounted else { continue }
                if witness.count > best?.count ?? 0 { best = witness }
            }
            if best == nil, let other = foreignStore(in: bytes) { throw other }
            // An anchor without a valid record is damaged or does not belong to this store. So the anchor is
            // refused and never overwritten. The only exception is a first write that was cut short.
            if best == nil, !Self.isCutShort(bytes) {
                throw SecretStoreError.damaged("the anchor does not verify", port.place)
            }
            return best
        } catch let error as GcryptFailure {
            throw .gcrypt(error, port.place)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the anchor was not read",
                    path: port.place
                )
        }
    }

    /// Whether the bytes are those of a first write that was cut short. The first write goes to the second
    /// half of the anchor's file, so the first half has only zeros.
    private static func isCutShort(_ bytes: [UInt8]) -> Bool {
        guard bytes.prefix(size).allSatisfy({ $0 == 0 }) else { return false }
        let record = bytes.dropFirst(size)
        return record.allSatisfy { $0 == 0 }
            || (record.count < size && record.starts(with: magic.prefix(record.count)))
    }

    /// Returns an error if a record of the anchor belongs to another store; `nil` otherwise.
    private func foreignStore(in bytes: [UInt8]) -> SecretStoreError? {
        let isForeign = stride(from: 0, through: bytes.count - Self.size, by: Self.size).contains { start in
            bytes.slice(start, 8) == Self.magic && bytes.slice(start + 16, 16) != ring.storeID
        }
        guard isForeign else { return nil }
        return SecretStoreError(
            code: .rolledBack,
            message: "the anchor witnesses another store than the one that is there",
            path: port.place
        )
    }

    private func tag(of sequence: UInt64, _ view: StoreView) throws(SecretStoreError) -> [UInt8]? {
        if sequence + 1 == view.cursor.sequence { return view.cursor.lastTag }
        guard sequence < view.cursor.sequence else { return nil }
        var cursor = Cursor(sequence: view.header.firstSequence)
        var found: [UInt8]?
        _ = try view.log.replay(&cursor, to: view.cursor.end) { _, _, _, cursor in
            if cursor.sequence - 1 == sequence { found = cursor.lastTag }
        }
        return found
    }
}
