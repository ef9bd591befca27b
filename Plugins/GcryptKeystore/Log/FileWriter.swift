internal import PortcullisCore

/// Writes a whole new keystore file beside the store and puts it in the store's place.
struct FileWriter {
    let files: any KeystoreFiles
    let place: FilePlace

    /// An item as it will be written: sealed already.
    struct Item {
        var name: SecretName
        var accessibility: Accessibility
        var version: UInt64
        var sealed: [UInt8]
    }

    /// What was written, ready to be used in place of the old file.
    struct Written {
        var log: LogFile
        var cursor: Cursor
        var index: ItemIndex
        var headerMAC: [UInt8]
    }

    /// Writes, syncs, renames and syncs the folder.
    ///
    /// On an error the store is as it was, but for `durabilityUnknown`: then the new file is in force, and may not
    /// be after a power failure.
    ///
    /// - Parameters:
    ///   - header: the header of the new file.
    ///   - storeKey: the key that frames and header are under.
    ///   - lastVersion: the last version the store gave.
    ///   - items: gives the items one by one.
    func replaceStore(
        header: HeaderPage,
        storeKey: SecretBytes,
        lastVersion: UInt64,
        items: () throws(SecretStoreError) -> Item?
    ) throws(SecretStoreError) -> Written {
        do {
            // This process holds the lock, so the file was left behind by a process that was killed.
            if try files.status(at: place.new) != nil { try files.unlink(place.new) }
            let descriptor = OpenDescriptor(try files.open(place.new, .createNew), files)
            do {
                let written = try fill(descriptor, header, storeKey, lastVersion, items)
                try files.syncData(descriptor.number)
                try files.rename(place.new, to: place.path)
                try syncRename()
                return written
            } catch let error as SecretStoreError where error.code == .durabilityUnknown {
                throw error
            } catch {
                try? files.unlink(place.new)
                throw error
            }
        } catch let error as SystemCallError {
            throw .system(error, place.path)
        } catch let error as GcryptFailure {
            throw .gcrypt(error, place.path)
        } catch let error as SecretStoreError {
            throw error
        } catch {
            throw SecretStoreError(
                code: .systemFailure,
                message: "the file was not written",
                path: place.path
            )
        }
    }

    private func syncRename() throws(SecretStoreError) {
        do { try files.syncFolder(place.folder) } catch {
            throw SecretStoreError(
                code: .durabilityUnknown,
                message: "the new file is in place, but the folder's sync failed; open the store again",
                path: place.path,
                cause: error
            )
        }
    }

    private func fill(
        _ descriptor: OpenDescriptor,
        _ header: HeaderPage,
        _ storeKey: SecretBytes,
        _ lastVersion: UInt64,
        _ items: () throws(SecretStoreError) -> Item?
    ) throws -> Written {
        let keys = try FrameKeys(storeKey: storeKey, header: header)
        let page = try header.encoded(try KeyRing.headerKey(storeKey, header.storeID))
        let mac = page.slice(Layout.macOffset, 32)
        var cursor = Cursor(sequence: header.firstSequence)
        cursor.lastVersion = lastVersion
        cursor.header = (header.generation, mac)
        var index = ItemIndex()
        var buffer = page + page
        var base: UInt64 = 0
        func add(_ content: FrameContent) throws -> [UInt8] {
            try cursor.demandCounted(place.path)
            let frame = try keys.frame(
                sequence: cursor.sequence,
                previousTag: cursor.lastTag,
                records: content
            )
            buffer += frame
            cursor.lastTag = Array(frame.suffix(16))
            cursor.end += UInt64(frame.count)
            cursor.sequence += 1
            cursor.frames += 1
            return frame
        }
        func flush() throws(SystemCallError) {
            try unsafe buffer.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(descriptor.number, bytes, at: base)
            }
            base += UInt64(buffer.count)
            buffer.removeAll(keepingCapacity: true)
        }
        var first = FrameContent()
        first.header(generation: header.generation, mac: mac, lastVersion: lastVersion)
        _ = try add(first)
        while let item = try items() {
            var content = FrameContent()
            content.write(item.name, item.accessibility, version: item.version, sealed: item.sealed)
            let start = cursor.end
            let frame = try add(content)
            let entry = ItemIndex.Entry(
                offset: start + UInt64(frame.count - SealingKey.tagSize - item.sealed.count),
                version: item.version,
                sealedSize: UInt32(item.sealed.count),
                accessibility: item.accessibility.byte
            )
            index.set(item.name, entry)
            if buffer.count >= 1 << 20 { try flush() }
        }
        try flush()
        let identity = try files.status(of: descriptor.number).identity
        let log = LogFile(files, place.path, descriptor, identity, keys)
        return Written(log: log, cursor: cursor, index: index, headerMAC: mac)
    }
}
