internal import Gcrypt
internal import PortcullisCore

/// What is known of the file: where its items lie and how far it was read.
struct StoreView: Sendable {
    var log: LogFile
    var header: HeaderPage
    var headerMAC: [UInt8]
    var index = ItemIndex()
    var cursor: Cursor
    var ending = LogEnding.clean
    /// The unfinished tail, once it was judged with the lock held.
    private(set) var tail: [UInt8]?
    /// Whether it holds all that was acknowledged.
    var freshness = Freshness()
    /// The file's size when it was last looked at; behind the last frame is preallocated space.
    var size: UInt64 = 0
    /// Whether one of the header pages was not whole when they were read.
    var hasBrokenPage = false
    /// Whether a write of this process is under way: until it is on disk, what lies behind the last frame is not to be
    /// read.
    var isWriting = false

    init(log: LogFile, header: HeaderPage, headerMAC: [UInt8]) {
        self.log = log
        self.header = header
        self.headerMAC = headerMAC
        cursor = Cursor(sequence: header.firstSequence)
    }

    /// Reads what was appended up to `size`.
    mutating func extend(to size: UInt64) throws(SecretStoreError) {
        var touched: Set<SecretNamespace> = []
        try extend(to: size, touching: &touched)
    }

    /// Reads what was appended up to `size`.
    ///
    /// - Parameter touched: gets the namespaces in which something changed, also where a later frame throws.
    mutating func extend(
        to size: UInt64,
        touching touched: inout Set<SecretNamespace>
    ) throws(SecretStoreError) {
        guard size >= cursor.end else {
            throw .damaged("the file is shorter than it was", log.path)
        }
        if cursor.frames > 0 {
            // An older file that was written over this one may be no shorter: it has preallocated space.
            let tag = try log.bytes(at: cursor.end - UInt64(SealingKey.tagSize), SealingKey.tagSize)
            guard tag == cursor.lastTag else {
                throw .damaged("the last frame that was read is not in the file any more", log.path)
            }
        }
        // Taken out: an index that is held twice copies itself on the first change.
        var index = ItemIndex()
        swap(&index, &self.index)
        self.size = size
        tail = nil
        var recent: SecretNamespace?
        let start = cursor.end
        var isIndexSized = false
        do throws(SecretStoreError) {
            ending = try log.replay(&cursor, to: size) { record, frame, values, _ in
                index.apply(record, values: values)
                if !isIndexSized, index.count == ItemIndex.small, frame > start {
                    // The unread part is assumed to hold items as densely as the part that was read. If most of the unread part
                    // is dead, the spare capacity is given back. The factor has a limit, as a damaged file can be of any size.
                    index.expect(times: min(64, Double(size - start) / Double(frame - start)))
                    isIndexSized = true
                }
                // Most often the same one again: comparing takes less than hashing.
                guard let namespace = record.name?.namespace, namespace != recent else { return }
                touched.insert(namespace)
                recent = namespace
            }
            if isIndexSized { index.trim() }
            self.index = index
        } catch {
            self.index = index
            throw error
        }
    }

    /// All but the index.
    ///
    /// A copy of the index that is held while it changes makes it copy its storage.
    var head: StoreView {
        var head = StoreView(log: log, header: header, headerMAC: headerMAC)
        (head.cursor, head.ending, head.isWriting) = (cursor, ending, isWriting)
        (head.hasBrokenPage, head.tail) = (hasBrokenPage, tail)
        (head.size, head.freshness) = (size, freshness)
        return head
    }

    /// Remembers an unfinished tail, so that judging it does not take the lock again.
    ///
    /// Its head and nonce, as far as they are there: no other frame has this nonce.
    mutating func settleTail(at size: UInt64, _: borrowing HeldLock) throws(SecretStoreError) {
        guard ending == .unfinishedTail, size > cursor.end else { return }
        tail = try log.bytes(at: cursor.end, min(Extent.reach, Int(size - cursor.end)))
    }

    /// Takes note that the unfinished tail was cut off.
    mutating func dropTail() {
        (ending, tail, size) = (.clean, nil, cursor.end)
    }

    /// How much of which file is known.
    struct Extent: Sendable {
        let log: LogFile
        let end: UInt64
        let lastTag: [UInt8]
        let tail: [UInt8]?
        let freshness: Freshness

        /// A head and a nonce, and more.
        static let reach = 64

        /// Whether the file holds what was read and no more: behind the last frame nothing, or the tail that was judged.
        ///
        /// - Parameter readsPreallocated: whether zeros at the place of the next frame may be what is left of one; then the space
        ///   behind them is looked at, too.
        func isCurrent(at size: UInt64, readsPreallocated: Bool) throws(SecretStoreError) -> Bool {
            // Damage that begins with zeros would look like preallocated space here, so a doubtful view is never current.
            guard size >= end, !freshness.isDoubtful else { return false }
            let count = min(Self.reach, Int(size - end))
            let bytes = try log.bytes(at: end - UInt64(lastTag.count), lastTag.count + count)
            guard bytes.starts(with: lastTag) else { return false }
            let behind = bytes.dropFirst(lastTag.count)
            if let tail {
                guard behind.elementsEqual(tail) else { return false }
                // No other frame begins like it, unless it is one whose beginning never reached the disk.
                return !readsPreallocated || tail.contains { $0 != 0 }
            }
            guard behind.allSatisfy({ $0 == 0 }) else { return false }
            guard readsPreallocated else { return true }
            return try log.isEmpty(from: end + UInt64(count), to: size)
        }
    }

    var extent: Extent {
        Extent(
            log: log,
            end: cursor.end,
            lastTag: cursor.lastTag,
            tail: tail,
            freshness: freshness
        )
    }

    func demandUndamaged() throws(SecretStoreError) {
        if case .damage(let message) = ending {
            throw .damaged(
                "\(message) (frame \(cursor.sequence), offset \(cursor.end))",
                log.path
            )
        }
        try demandHeader()
    }

    /// Refuses an old header page: the log must have witnessed the page, or the one just before it.
    func demandHeader() throws(SecretStoreError) {
        guard let witnessed = cursor.header else { throw .damaged("the file holds no frame", log.path) }
        let isSame = witnessed.generation == header.generation && witnessed.mac == headerMAC
        let isCutShort = header.generation == witnessed.generation + 1
        guard isSame || isCutShort else { throw .damaged("an old header page was put back", log.path) }
    }
}
