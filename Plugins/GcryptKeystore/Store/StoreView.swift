internal import Gcrypt
internal import PortcullisCore

/// The state of the file as this process last read it: the places of its items, and the end of the part that
/// was read.
struct StoreView: Sendable {
    var log: LogFile
    var header: HeaderPage
    var headerMAC: [UInt8]
    var index = ItemIndex()
    var cursor: Cursor
    var ending = LogEnding.clean
    /// The first bytes of the unfinished tail, if the tail was examined with the lock held; else `nil`.
    private(set) var tail: [UInt8]?
    /// The data that decides whether the view holds every acknowledged write.
    var freshness = Freshness()
    /// The file's size in bytes when the file was last read. The preallocated space behind the last frame is
    /// included.
    var size: UInt64 = 0
    /// Whether the two header pages differed when they were read. If so, the next writer has to write the
    /// page in force over the other page.
    var hasUnfinishedHeader = false
    /// Whether a commit of this process is writing a frame. The bytes after the last known frame may belong
    /// to that commit.
    var isWriting = false

    init(log: LogFile, header: HeaderPage, headerMAC: [UInt8]) {
        self.log = log
        self.header = header
        self.headerMAC = headerMAC
        cursor = Cursor(sequence: header.firstSequence)
    }

    /// Whether the file of this view has all frames that another view has read. The file generations must be
    /// equal, and the header of this view must not be the older one.
    func holdsAll(of other: StoreView) throws(SecretStoreError) -> Bool {
        guard header.fileGeneration == other.header.fileGeneration,
            header.generation >= other.header.generation,
            cursor.end >= other.cursor.end
        else { return false }
        // Each frame's tag depends on the frame before it, so comparing the last tag suffices.
        guard other.cursor.frames > 0 else { return true }
        return try log.bytes(at: other.cursor.end - UInt64(SealingKey.tagSize), SealingKey.tagSize)
            == other.cursor.lastTag
    }

    /// Reads the frames that were appended up to `size`.
    mutating func extend(to size: UInt64) throws(SecretStoreError) {
        var touched: Set<SecretNamespace> = []
        try extend(to: size, touching: &touched)
    }

    /// Reads the frames that were appended up to `size`.
    ///
    /// - Parameter touched: gets the namespaces with a change, even if reading a later frame throws.
    mutating func extend(
        to size: UInt64,
        touching touched: inout Set<SecretNamespace>
    ) throws(SecretStoreError) {
        guard size >= cursor.end else {
            throw .damaged("the file is shorter than it was", log.path)
        }
        if cursor.frames > 0 {
            // An older file may have been written over this one. The length does not show this change,
            // because with preallocated space both files can be equally long. So the last tag is compared.
            let tag = try log.bytes(at: cursor.end - UInt64(SealingKey.tagSize), SealingKey.tagSize)
            guard tag == cursor.lastTag else {
                throw .damaged("the last frame that was read is not in the file any more", log.path)
            }
        }
        // The index is taken out of the view, so that there is only one reference to it. An index with two
        // references would be copied on the first change.
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
                    // Capacity is reserved for the items that are not read yet. The estimate assumes that
                    // they are as dense in the file as the items so far. Spare capacity is freed later. The
                    // factor is limited, because a damaged file can have any size.
                    index.expect(times: min(64, Double(size - start) / Double(frame - start)))
                    isIndexSized = true
                }
                // Successive records most often have the same namespace, and comparing two namespaces takes
                // less time than hashing one.
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

    /// A copy of the view without the index.
    ///
    /// A copy with the index would hold a second reference to the index's storage. The next change of the
    /// index would then copy the storage.
    var head: StoreView {
        var head = StoreView(log: log, header: header, headerMAC: headerMAC)
        (head.cursor, head.ending, head.isWriting) = (cursor, ending, isWriting)
        (head.hasUnfinishedHeader, head.tail) = (hasUnfinishedHeader, tail)
        (head.size, head.freshness) = (size, freshness)
        return head
    }

    /// Makes the next frame of the log from this content.
    ///
    /// - Throws: `damaged` if the sequence numbers are used up; `systemFailure` if libgcrypt fails.
    func frame(of content: FrameContent) throws(SecretStoreError) -> [UInt8] {
        try cursor.demandCounted(log.path)
        do {
            return try log.keys.frame(
                sequence: cursor.sequence,
                previousTag: cursor.lastTag,
                records: content
            )
        } catch {
            throw .gcrypt(error, log.path)
        }
    }

    /// Remembers the beginning of an unfinished tail. Later reads then need not take the lock to examine the
    /// tail again.
    ///
    /// The beginning contains the head and the nonce, as far as they were written. No other frame has the
    /// same nonce.
    mutating func settleTail(at size: UInt64, _: borrowing HeldLock) throws(SecretStoreError) {
        guard ending == .unfinishedTail, size > cursor.end else { return }
        tail = try log.bytes(at: cursor.end, min(Extent.reach, Int(size - cursor.end)))
    }

    /// Notes that the unfinished tail was cut off.
    mutating func dropTail() {
        (ending, tail, size) = (.clean, nil, cursor.end)
    }

    /// The end of the known part of a file, for a check whether the file has more frames.
    struct Extent: Sendable {
        let log: LogFile
        let end: UInt64
        let lastTag: [UInt8]
        let tail: [UInt8]?
        let freshness: Freshness

        /// The number of bytes after the last frame that are compared with ``tail``. They include the head
        /// and the nonce of a frame that may have been written there.
        static let reach = 64

        /// Whether the file has the known frames and no more. If so, only preallocated space or the examined
        /// tail follows the last frame.
        ///
        /// - Parameter readsPreallocated: whether zeros at the place of the next frame may be the remains of
        ///   a damaged frame. If so, all bytes behind these zeros are read too.
        func isCurrent(at size: UInt64, readsPreallocated: Bool) throws(SecretStoreError) -> Bool {
            // A view is doubtful after a failed read, for example of a damaged frame. A damaged frame that
            // begins with zeros looks like preallocated space here. So a doubtful view is never current.
            guard size >= end, !freshness.isDoubtful else { return false }
            let count = min(Self.reach, Int(size - end))
            let bytes = try log.bytes(at: end - UInt64(lastTag.count), lastTag.count + count)
            guard bytes.starts(with: lastTag) else { return false }
            let behind = bytes.dropFirst(lastTag.count)
            if let tail {
                guard behind.elementsEqual(tail) else { return false }
                // A tail contains the nonce of its frame. So equal bytes mean that this tail was examined
                // before. A tail of zeros contains no nonce, and may be the remains of a later, damaged
                // frame.
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

    /// Refuses an old header page. The last header record must name this page. A writer writes a changed page
    /// first and its record afterwards. If the writer was cut short in between, the record names the page of
    /// the generation before.
    func demandHeader() throws(SecretStoreError) {
        guard let witnessed = cursor.header else { throw .damaged("the file holds no frame", log.path) }
        let isSame = witnessed.generation == header.generation && witnessed.mac == headerMAC
        let isCutShort = header.generation == witnessed.generation + 1
        guard isSame || isCutShort else { throw .damaged("an old header page was put back", log.path) }
    }
}
