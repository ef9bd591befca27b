internal import Gcrypt
internal import PortcullisCore

/// Reads a whole file. If a part is damaged, the reading continues after it.
///
/// The calls block, so they run on a thread of the keystore.
struct Survey {
    private(set) var view: StoreView
    let ring: KeyRing
    private var damage: [KeystoreDamage] = []
    private var unfinishedTail = false
    private var items: [(name: SecretName, entry: ItemIndex.Entry)] = []
    private var nextIndex = 0
    private var intactItems = 0

    /// Whether the file has neither damage nor an unfinished tail. The values do not count here, because
    /// ``nextItem()`` checks them later.
    var isClean: Bool { damage.isEmpty && !unfinishedTail }

    init(_ opener: StoreOpener) throws(SecretStoreError) {
        let path = opener.place.path
        let (descriptor, identity) = try opener.openFile(.read)
        var pages = try HeaderPages(opener.files, descriptor, path)
        let (header, mac, storeKey) = try pages.inForce { (header) throws(SecretStoreError) in
            guard let opened = try opener.openSlot(header) else { throw opener.wrongKey }
            return opened.key
        }
        ring = try KeyRing(storeKey: storeKey, header: header, path: path)
        try pages.refuseForged(ring.headerKey)
        let keys: FrameKeys
        do { keys = try FrameKeys(storeKey: storeKey, header: header) } catch { throw .gcrypt(error, path) }
        let log = LogFile(opener.files, path, descriptor, identity, keys)
        view = StoreView(log: log, header: header, headerMAC: mac)
        for offset in pages.damagedOffsets {
            damage.append(
                KeystoreDamage(frame: 0, offset: offset, item: nil, message: "a header page is damaged")
            )
        }
        try readFrames(to: try log.status().size)
        do { try view.demandHeader() } catch {
            damage.append(KeystoreDamage(frame: 0, offset: 0, item: nil, message: error.message))
        }
        if view.cursor.isUsedUp {
            let message = "no further change can be counted: export what is there into a new store"
            damage.append(KeystoreDamage(frame: 0, offset: 0, item: nil, message: message))
        }
        items = view.index.all
    }

    /// Refuses a store that is older than the state in the anchor's last record. The anchor is only read: a
    /// missing record is not written, and the counter is not raised.
    ///
    /// In a damaged file the frame that the record names may be lost. So the frame's tag is not compared, but
    /// the file generation and the file's first sequence number are. If the end of the file is undamaged, the
    /// last sequence number is compared too.
    ///
    /// - Parameter isAlone: whether no other process is writing.
    /// - Returns: `false` if another process may be writing, and the record's number differs from the
    ///   counter's value. That process may have written the record and not yet raised the counter.
    func isNotOlder(
        than witness: Anchor.Witness?,
        of anchor: Anchor,
        isAlone: Bool
    ) throws(SecretStoreError) -> Bool {
        guard let witness else { return true }
        if damage.isEmpty {
            guard isAlone else { return try anchor.accepts(view, against: witness) }
            try anchor.demandNotOlder(view, than: witness)
            return true
        }
        let isEndWhole = if case .damage = view.ending { false } else { true }
        let last = isEndWhole ? view.cursor.sequence - 1 : .max
        guard witness.mayBeReached(by: view.header, last: last) else { throw anchor.olderStore(view) }
        return true
    }

    /// The highest version that the salvaged store counts as used. The next values of that store get higher
    /// versions. If the file is damaged, this version is above all versions in the damaged frames. So no new
    /// value gets the version of a lost value.
    var versionBeyondLost: UInt64 {
        damage.isEmpty
            ? view.cursor.lastVersion : min(view.cursor.lastVersion + 1 << 32, .largestCounted)
    }

    /// The number of the salvaged store's first frame. If frames are lost, this number is above the numbers
    /// of all lost frames. So an anchor that has recorded a lost frame accepts the salvaged store. Damage
    /// outside of the frames has the frame number 0. If there is only such damage, the numbers go on as after
    /// a compaction. If the damaged store is written to after the salvage, its anchor refuses the salvaged
    /// store.
    var sequenceBeyondLost: UInt64 {
        view.cursor.sequence + (damage.hasLostFrames ? 1 << 32 : 0)
    }

    private mutating func readFrames(to size: UInt64) throws(SecretStoreError) {
        while true {
            try view.extend(to: max(size, view.cursor.end))
            switch view.ending {
            case .clean: return
            case .unfinishedTail:
                unfinishedTail = true
                return
            case .damage(let message):
                let fault = KeystoreDamage(
                    frame: view.cursor.sequence,
                    offset: view.cursor.end,
                    item: nil,
                    message: message
                )
                damage.append(fault)
                guard try skip(size) else { return }
            }
        }
    }

    /// Moves the cursor to the next frame after the damage. Returns whether there is such a frame.
    private mutating func skip(_ size: UInt64) throws(SecretStoreError) -> Bool {
        let found = try view.log.nextHead(after: view.cursor.end, to: size, from: view.cursor.sequence)
        guard let found else { return false }
        view.cursor.end = found.offset
        view.cursor.sequence = found.sequence
        // A frame ends with its tag. So these 16 bytes are the previous frame's tag, even if the beginning of
        // that frame is unknown.
        view.cursor.lastTag = try view.log.bytes(at: found.offset - 16, 16)
        return true
    }

    /// Returns the next item whose value verifies. Each value that does not verify is skipped, and reported
    /// as damage. The values of a locked class cannot be opened, so only their sizes are checked.
    mutating func nextItem() throws(SecretStoreError) -> FileWriter.Item? {
        while nextIndex < items.count {
            let (name, entry) = items[nextIndex]
            nextIndex += 1
            let sealed = try view.log.bytes(at: entry.offset, Int(entry.sealedSize))
            guard let accessibility = Accessibility(byte: entry.accessibility),
                try opens(sealed, name, entry)
            else {
                damage.append(
                    KeystoreDamage(
                        frame: 0,
                        offset: entry.offset,
                        item: name,
                        message: "a value does not verify"
                    )
                )
                continue
            }
            intactItems += 1
            return FileWriter.Item(
                name: name,
                accessibility: accessibility,
                version: entry.version,
                sealed: sealed
            )
        }
        return nil
    }

    private func opens(
        _ sealed: [UInt8],
        _ name: SecretName,
        _ entry: ItemIndex.Entry
    ) throws(SecretStoreError) -> Bool {
        guard let key = ring.sealing(entry.accessibility, epoch: view.header.classEpoch) else {
            return sealed.count == Int(entry.sealedSize)
        }
        let binding = ValueSeal.binding(ring.storeID, name, entry.accessibility, version: entry.version)
        do {
            return try unsafe sealed.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                try unsafe ValueSeal.open(bytes, under: key, binding: binding)
            } != nil
        } catch {
            throw .gcrypt(error, view.log.path)
        }
    }

    /// The findings, complete after ``nextItem()`` has returned `nil`.
    var report: KeystoreReport {
        KeystoreReport(
            items: intactItems,
            frames: view.cursor.frames,
            bytes: view.cursor.end,
            damage: damage,
            unfinishedTail: unfinishedTail
        )
    }
}
