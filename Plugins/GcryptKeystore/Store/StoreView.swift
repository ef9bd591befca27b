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
    private(set) var tail: Tail?
    /// When the file was last changed, as of the last time it was seen to have its place.
    var changed: UInt64 = 0
    /// Whether one of the header pages was not whole when they were read.
    var hasBrokenPage = false
    /// How far a write of this process that is under way may make the file grow.
    var ownEnd: UInt64 = 0

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
        var index = index
        self.index = ItemIndex()
        tail = nil
        var recent: SecretNamespace?
        let start = cursor.end
        var isRoomMade = false
        do throws(SecretStoreError) {
            ending = try log.replay(&cursor, to: size) { record, frame, values, _ in
                index.apply(record, values: values)
                if !isRoomMade, index.count == ItemIndex.small, frame > start {
                    // As if what is left held as many items as what was read. If most of it is dead, it is given back;
                    // there is a limit, because a damaged file can be of any size.
                    index.expect(times: min(64, Double(size - start) / Double(frame - start)))
                    isRoomMade = true
                }
                // Most often the same one again: comparing takes less than hashing.
                guard let namespace = record.namespace, namespace != recent else { return }
                touched.insert(namespace)
                recent = namespace
            }
            if isRoomMade { index.trim() }
            self.index = index
        } catch {
            self.index = index
            throw error
        }
    }

    /// All but the index.
    ///
    /// Whoever holds a copy of the index while it changes makes it copy itself.
    var head: StoreView {
        var head = StoreView(log: log, header: header, headerMAC: headerMAC)
        (head.cursor, head.ending, head.ownEnd) = (cursor, ending, ownEnd)
        (head.hasBrokenPage, head.tail, head.changed) = (hasBrokenPage, tail, changed)
        return head
    }

    /// What tells an unfinished tail from whatever may come in its place.
    struct Tail: Sendable {
        let size: UInt64
        /// Head and nonce of its frame, as far as they are there: no other frame has this nonce.
        let start: [UInt8]
    }

    /// Remembers the tail, so that nobody has to wait for the lock again to judge it; with the lock held.
    mutating func settleTail(at size: UInt64) throws(SecretStoreError) {
        guard ending == .unfinishedTail, size > cursor.end else { return }
        tail = Tail(size: size, start: try log.bytes(at: cursor.end, min(64, Int(size - cursor.end))))
    }

    /// How much of which file is known.
    struct Extent: Sendable {
        let log: LogFile
        let end: UInt64
        let tail: Tail?
        let changed: UInt64

        /// Whether a file of this size holds no more than what was read.
        func isCurrent(at size: UInt64) throws(SecretStoreError) -> Bool {
            if size == end { return true }
            guard let tail, tail.size == size else { return false }
            return try log.bytes(at: end, tail.start.count) == tail.start
        }
    }

    var extent: Extent { Extent(log: log, end: cursor.end, tail: tail, changed: changed) }

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
