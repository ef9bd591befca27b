internal import AdapterKit
public import PortcullisCore
internal import Synchronization

extension StoreView {
    /// The approximate number of bytes that a compaction would free.
    var deadBytes: UInt64 {
        let alive = Layout.firstFrame + index.liveBytes
        return cursor.end > alive ? cursor.end - alive : 0
    }
}

extension GcryptKeystore {
    /// Rewrites the store without removed and replaced values. The new file has new keys for its frames.
    ///
    /// The call works while the `whenUnlocked` class is locked, because sealed values are copied as they are.
    public func compact() async throws(SecretStoreError) {
        try await worker.run { () throws(SecretStoreError) in try self.compactNow() }
    }

    func compactNow() throws(SecretStoreError) {
        try whileWriting { (held) throws(SecretStoreError) in
            let header = self.state.withLock { $0.view.header }
            try self.rewrite(header, for: .other, held) { (item: FileWriter.Item) throws(SecretStoreError) in
                item
            }
        }
    }

    /// Writes a new file with the view's items. `change` may alter each item before it is written.
    func rewrite(
        _ header: HeaderPage,
        for reason: AnchorReason,
        _ held: borrowing HeldLock,
        _ change: (FileWriter.Item) throws(SecretStoreError) -> FileWriter.Item
    ) throws(SecretStoreError) {
        let view = state.withLock { $0.view }
        var header = header
        try header.advanceFile(firstSequence: view.cursor.sequence, place.path)
        let items = view.index.all
        var next = items.startIndex
        let written = try replace(header, view.cursor.lastVersion, held) { () throws(SecretStoreError) in
            guard next < items.endIndex else { return nil }
            let (name, entry) = items[next]
            next += 1
            let sealed = try view.log.bytes(at: entry.offset, Int(entry.sealedSize))
            guard sealed.count == Int(entry.sealedSize),
                let accessibility = Accessibility(byte: entry.accessibility)
            else { throw .damaged("the value of \(name) is not whole", place.path) }
            return try change(
                FileWriter.Item(
                    name: name,
                    accessibility: accessibility,
                    version: entry.version,
                    sealed: sealed
                )
            )
        }
        state.withLock { state in
            state.view = StoreView(log: written.log, header: header, headerMAC: written.headerMAC)
            state.view.cursor = written.cursor
            state.view.index = written.index
        }
        witness(for: reason)
    }

    /// Writes the new file. After `durabilityUnknown` the new file may already be in place, while this store
    /// still has the old file open. So the store becomes unusable.
    private func replace(
        _ header: HeaderPage,
        _ lastVersion: UInt64,
        _ held: borrowing HeldLock,
        items: () throws(SecretStoreError) -> FileWriter.Item?
    ) throws(SecretStoreError) -> FileWriter.Written {
        do throws(SecretStoreError) {
            return try FileWriter(files: files, place: place).replaceStore(
                header: header,
                storeKey: ring.storeKey,
                lastVersion: lastVersion,
                beforeRenaming: { () throws(SecretStoreError) in try lockFile.demandInPlace(held) },
                items: items
            )
        } catch {
            throw error.code == .durabilityUnknown ? poison(error) : error
        }
    }
}
