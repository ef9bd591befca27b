internal import Gcrypt
internal import LinuxSystem
internal import PortcullisCore

/// Writes a whole new keystore file beside the store, then gives it the store's name.
struct FileWriter {
    let files: any KeystoreFiles
    let place: FilePlace

    /// An item to be written. Its value is sealed already.
    struct Item {
        var name: SecretName
        var accessibility: Accessibility
        var version: UInt64
        var sealed: [UInt8]
    }

    /// The new file, open, with its cursor and index. The store's view gets these in place of the old file's.
    struct Written {
        var log: LogFile
        var cursor: Cursor
        var index: ItemIndex
        var headerMAC: [UInt8]
    }

    /// Writes the new file, syncs it, renames it over the store and syncs the folder.
    ///
    /// The caller holds the lock. On an error the store is unchanged, with one exception: after
    /// `durabilityUnknown` the new file may be in place, and a power failure may bring the old file back.
    ///
    /// - Parameters:
    ///   - header: the header of the new file.
    ///   - storeKey: the store key, from which the keys of frames and header are derived.
    ///   - lastVersion: the highest version that the store has given to an item.
    ///   - beforeRenaming: throws if the store may have changed since the lock was taken.
    ///   - items: returns the next item with each call, and `nil` after the last one.
    func replaceStore(
        header: HeaderPage,
        storeKey: SecretBytes,
        lastVersion: UInt64,
        beforeRenaming: () throws(SecretStoreError) -> Void,
        items: () throws(SecretStoreError) -> Item?
    ) throws(SecretStoreError) -> Written {
        try removeLeftover(
            of: header.storeID,
            from: header.fileGeneration,
            storeKey: storeKey,
            lastVersion: lastVersion
        )
        return try write(place.new, header, storeKey, lastVersion, isMarked: true, items) {
            try beforeRenaming()
            try files.rename(place.new, to: place.path)
        }
    }

    /// Makes a store if there is none. The file is written under a random name, and synced. It then gets the
    /// store's name if that name is free, and the folder is synced.
    ///
    /// On an error no store was made, with one exception: after `durabilityUnknown` the store exists, but a
    /// power failure may remove it. The parameters are those of `replaceStore`.
    ///
    /// - Throws: `alreadyExists` if a file has the store's name.
    func makeStore(
        header: HeaderPage,
        storeKey: SecretBytes,
        lastVersion: UInt64,
        items: () throws(SecretStoreError) -> Item?
    ) throws(SecretStoreError) -> Written {
        let new = "\(place.path).\(randomBytes(8).map { String($0, radix: 16) }.joined()).new"
        return try write(new, header, storeKey, lastVersion, isMarked: false, items) {
            try files.moveToFreeName(new, to: place.path)
        }
    }

    /// Removes the file that a killed compaction left under the name of the new file. Any other file of that
    /// name is refused.
    ///
    /// The file of a compaction has a higher file generation than the store. After a power failure has undone
    /// the renaming of an earlier compaction, the generation may be higher by more than one. A copy of the
    /// store has the same generation or a lower one, and stays.
    ///
    /// A user may have moved the store to this name, and an older copy to the store's path. So the file stays
    /// if it has later items than the store, or if a commit was appended to it. The file of a killed
    /// compaction has neither: a compaction copies the store's items, and commits are appended only after the
    /// renaming.
    ///
    /// - Parameters:
    ///   - storeID: the id of the store.
    ///   - generation: the lowest file generation that the file may have.
    ///   - storeKey: the store key, with which the file is read.
    ///   - lastVersion: the highest version that the store has given to an item; `nil`: a file with later
    ///     changes is removed too.
    /// - Throws: `durabilityUnknown` if the file is removed, but a power failure may bring it back.
    func removeLeftover(
        of storeID: [UInt8],
        from generation: UInt64,
        storeKey: SecretBytes,
        lastVersion: UInt64?
    ) throws(SecretStoreError) {
        do {
            guard try files.status(at: place.new) != nil else { return }
            let mark = FilePlace.Mark(magic: Layout.magic, storeID: storeID, fileGeneration: generation)
            try FilePlace.demandLeftover(
                OpenDescriptor(try files.open(place.new, .read), files),
                place.new,
                mark,
                unsynced: Layout.firstFrame,
                files
            )
            if let lastVersion, try isNewer(than: lastVersion, storeKey) {
                throw SecretStoreError(
                    code: .untrustedFile,
                    message: "the file has later changes than the store beside it: move it away",
                    path: place.new
                )
            }
            let folder = try place.openFolder(files)
            try files.unlink(place.new)
            try sync(folder)
        } catch let error as SystemCallError {
            throw .system(error, place.new)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the file was not removed",
                    path: place.new
                )
        }
    }

    /// Whether the file at the place of the new file has changes that the store lacks.
    private func isNewer(than lastVersion: UInt64, _ storeKey: SecretBytes) throws(SecretStoreError) -> Bool {
        let opener = StoreOpener(
            configuration: KeystoreConfiguration(path: place.new, credential: .rawKey(storeKey)),
            files: files
        )
        do throws(SecretStoreError) {
            let (_, view, _) = try opener.read(storeKey: storeKey)
            // A compaction writes one frame for the header and one for each item. More frames are commits.
            return view.cursor.lastVersion > lastVersion || view.cursor.frames > 1 + view.index.count
        } catch {
            // If a writer is killed, its file may be incomplete and count as damaged. That file has no later
            // changes.
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    /// Writes a new file, syncs it and gives it the store's name.
    ///
    /// - Parameters:
    ///   - new: the name of the file while it is written.
    ///   - isMarked: whether the header is synced before the rest of the file. If this process is killed,
    ///     a later process recognizes the file by its synced header.
    ///   - putInPlace: gives the file the store's name.
    private func write(
        _ new: String,
        _ header: HeaderPage,
        _ storeKey: SecretBytes,
        _ lastVersion: UInt64,
        isMarked: Bool,
        _ items: () throws(SecretStoreError) -> Item?,
        putInPlace: () throws -> Void
    ) throws(SecretStoreError) -> Written {
        do {
            // The folder is opened before the file is written. If the folder could not be opened after the
            // renaming, it would be unknown what is on disk.
            let folder = try place.openFolder(files)
            let descriptor = OpenDescriptor(try files.open(new, .createNew), files)
            do {
                let written = try fill(descriptor, header, storeKey, lastVersion, isMarked, items)
                try files.syncData(descriptor.number)
                try putInPlace()
                try sync(folder)
                return written
            } catch let error as SecretStoreError where error.code == .durabilityUnknown {
                throw error
            } catch {
                try? files.unlink(new)
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

    private func sync(_ folder: OpenDescriptor) throws(SecretStoreError) {
        do { try files.syncFolder(folder.number) } catch {
            throw SecretStoreError(
                code: .durabilityUnknown,
                message: "the folder was changed, but its sync failed; open the store again",
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
        _ isMarked: Bool,
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
        if isMarked {
            try flush()
            try files.syncData(descriptor.number)
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
