internal import Gcrypt
internal import PortcullisCore

extension LogFile {
    /// The number of bytes read at once from a file of any size.
    static let chunk = 1 << 20

    /// Reads the frames from the cursor to `size`, and moves the cursor to the end of the last frame that
    /// verifies.
    ///
    /// - Parameter visit: called with each record, the offset of the record's frame, the offset of the
    ///   frame's values, and the cursor after the frame.
    /// - Returns: the kind of content after the last frame that verifies.
    func replay(
        _ cursor: inout Cursor,
        to size: UInt64,
        visit: (Record, _ frame: UInt64, _ values: UInt64, Cursor) -> Void
    ) throws(SecretStoreError) -> LogEnding {
        var buffer: [UInt8] = []
        var base = cursor.end
        // Fills the buffer so that it has `count` bytes from the cursor on. If the file has fewer bytes left,
        // the buffer gets only these.
        func fill(_ count: Int) throws(SecretStoreError) {
            let have = Int(base) + buffer.count - Int(cursor.end)
            if have >= count { return }
            base = cursor.end
            buffer = try bytes(at: base, min(max(count, Self.chunk), Int(size - base)))
        }
        while cursor.end < size {
            let left = Int(size - cursor.end)
            if left < Layout.headSize {
                return try isEmpty(from: cursor.end, to: size) ? .clean : .unfinishedTail
            }
            try fill(Layout.headSize)
            var at = Int(cursor.end - base)
            guard buffer.count - at >= Layout.headSize else { return .unfinishedTail }
            do {
                let head = try unsafe buffer.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                    try unsafe keys.head(UnsafeRawBufferPointer(rebasing: bytes[at..<at + Layout.headSize]))
                }
                guard let head else { return try judgeHead(cursor, size) }
                guard head.sequence == cursor.sequence else { return .damage("a frame is out of order") }
                guard head.length <= left else { return .unfinishedTail }
                try fill(head.length)
                at = Int(cursor.end - base)
                guard buffer.count - at >= head.length else { return .unfinishedTail }
                let directory = try unsafe buffer.span.bytes.withUnsafeBytes {
                    (bytes) throws(GcryptFailure) in
                    try unsafe keys.directory(
                        UnsafeRawBufferPointer(rebasing: bytes[at..<at + head.length]),
                        head,
                        previousTag: cursor.lastTag
                    )
                }
                guard let directory else {
                    let end = cursor.end + UInt64(head.length)
                    // A writer syncs each frame before it writes the next one. So if the write of this frame
                    // was cut short, a part of the frame is missing, and only zeros follow. In every other
                    // case the frame was whole on disk, and is damaged now.
                    guard lacksPart(buffer[at..<at + head.length], from: cursor.end),
                        try isEmpty(from: end, to: size)
                    else { return .damage("a frame does not verify") }
                    return .unfinishedTail
                }
                let values = Layout.headSize + SealingKey.nonceSize + head.directory
                let sealed = head.length - SealingKey.tagSize - values
                guard let records = Record.decode(directory, sealedBytes: sealed) else {
                    return .damage("a frame's directory makes no sense")
                }
                let frame = cursor.end
                cursor.lastTag = buffer.slice(at + head.length - 16, 16)
                cursor.end += UInt64(head.length)
                cursor.sequence += 1
                cursor.frames += 1
                for record in records {
                    cursor.note(record)
                    visit(record, frame, frame + UInt64(values), cursor)
                }
            } catch let error as GcryptFailure {
                throw .gcrypt(error, path)
            } catch let error as SecretStoreError {
                throw error
            } catch {
                throw .damaged("the file could not be read", path)
            }
        }
        return .clean
    }

    /// Finds the reason why a head does not verify: preallocated space, a write that was cut short, or
    /// damage.
    private func judgeHead(_ cursor: Cursor, _ size: UInt64) throws(SecretStoreError) -> LogEnding {
        if try isEmpty(from: cursor.end, to: size) { return .clean }
        // If only preallocated space follows the head, a write was cut short within the head.
        if try isEmpty(from: cursor.end + UInt64(Layout.headSize), to: size) { return .unfinishedTail }
        let sector = min(cursor.end + 512 - cursor.end % 512, size)
        guard try isEmpty(from: cursor.end, to: sector) else {
            return .damage("a frame's head does not verify")
        }
        // The head's sector has only zeros, so the frame's length is unknown. If no later head follows, this
        // frame was the last one, and its write was cut short.
        let later = try nextHead(after: cursor.end, to: size, from: cursor.sequence + 1)
        return later == nil ? .unfinishedTail : .damage("a frame is missing")
    }

    /// Whether the file has only zeros between these offsets.
    func isEmpty(from offset: UInt64, to end: UInt64) throws(SecretStoreError) -> Bool {
        var at = offset
        while at < end {
            let part = try bytes(at: at, min(Self.chunk, Int(end - at)))
            guard !part.isEmpty, part.allSatisfy({ $0 == 0 }) else { return part.isEmpty }
            at += UInt64(part.count)
        }
        return true
    }

    /// Finds the next head after `offset` that verifies and whose sequence is `sequence` or higher.
    func nextHead(
        after offset: UInt64,
        to size: UInt64,
        from sequence: UInt64
    ) throws(SecretStoreError) -> (offset: UInt64, sequence: UInt64)? {
        var at = offset + UInt64(Layout.frameStep)
        while at + UInt64(Layout.headSize) <= size {
            let part = try bytes(at: at, min(Self.chunk, Int(size - at)))
            var index = 0
            while index + Layout.headSize <= part.count {
                do {
                    let head = try unsafe part.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                        try unsafe keys.head(
                            UnsafeRawBufferPointer(rebasing: bytes[index..<index + Layout.headSize])
                        )
                    }
                    if let head, head.sequence >= sequence { return (at + UInt64(index), head.sequence) }
                } catch {
                    throw .gcrypt(error, path)
                }
                index += Layout.frameStep
            }
            at += UInt64(max(index, Layout.frameStep))
        }
        return nil
    }

    /// Whether a part of a frame was never written: the frame's tag, or its bytes in one sector, are all
    /// zero.
    ///
    /// A frame is often written into preallocated space, which consists of zeros. Zeros remain where no byte
    /// was written, and in a sector whose new bytes did not reach the disk.
    private func lacksPart(_ bytes: ArraySlice<UInt8>, from offset: UInt64) -> Bool {
        if bytes.suffix(SealingKey.tagSize).allSatisfy({ $0 == 0 }) { return true }
        var at = bytes.startIndex
        var place = offset
        while at < bytes.endIndex {
            let step = min(Int(512 - place % 512), bytes.endIndex - at)
            if bytes[at..<at + step].allSatisfy({ $0 == 0 }) { return true }
            at += step
            place += UInt64(step)
        }
        return false
    }
}

extension Cursor {
    mutating func note(_ record: Record) {
        switch record {
        case .write(_, _, let version, _, _), .remove(_, let version): lastVersion = max(lastVersion, version)
        case .header(let generation, let mac, let version):
            header = (generation, mac)
            lastVersion = max(lastVersion, version)
        }
    }
}

extension ItemIndex {
    /// Applies a record to the index.
    ///
    /// - Parameter values: the offset at which the sealed values of the record's frame begin.
    mutating func apply(_ record: Record, values: UInt64) {
        switch record {
        case .write(let name, let accessibility, let version, let offset, let size):
            let entry = Entry(
                offset: values + UInt64(offset),
                version: version,
                sealedSize: UInt32(size),
                accessibility: accessibility.byte
            )
            set(name, entry)
        case .remove(let name, _): remove(name)
        case .header: break
        }
    }
}
