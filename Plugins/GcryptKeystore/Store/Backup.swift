internal import AdapterKit
internal import Gcrypt
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

/// The items of a backup. The backup's passphrase has authenticated them.
package struct OpenedBackup: Sendable {
    /// One write for each item, without conditions.
    fileprivate let changes: [SecretChange]
}

extension GcryptKeystore {
    private static let backupMagic: [UInt8] = [0x89, 0x50, 0x4B, 0x42, 0x4B, 0x0D, 0x0A, 0x1A]
    private static let backupHead = 52

    /// Writes a new file that contains all items that may leave the device. The file is encrypted under a
    /// passphrase.
    ///
    /// The library's own items are left out, because no import accepts them.
    ///
    /// - Returns: the number of items in the backup.
    /// - Throws: `classLocked` if an item of the backup belongs to a locked class; `alreadyExists` if a file
    ///   is at `path`; `invalidName` for a path that the store uses for its own files; `tooLarge` if the
    ///   items exceed the size of one commit, because ``import(from:passphrase:)`` would refuse the backup.
    ///   The size of a commit is at most 512 MiB. It includes some 500 bytes for each item besides the item's
    ///   name and value. On an error no file is made. A killed process leaves no file at `path`, or the whole
    ///   backup.
    public func export(to path: String, passphrase: SecretBytes) async throws(SecretStoreError) -> Int {
        try await writeBackup(to: path, passphrase: passphrase).items
    }

    /// Writes a backup as ``export(to:passphrase:)`` does.
    ///
    /// - Returns: the number of items in the backup, and the number of items that were left out because they
    ///   may not leave the device. The library's own items are in neither number.
    package func writeBackup(
        to path: String,
        passphrase: SecretBytes
    ) async throws(SecretStoreError) -> (items: Int, left: Int) {
        try place.demandForeign(path, files)
        // All items are read in one job of the store's queue. Outside of the queue, a refresh may be
        // running, and the view has no index during a refresh. The backup would then lack items. A new class
        // key may also replace the present key, and the items could then not be opened.
        let (items, left, size) = try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            let view = self.state.withLock { $0.view }
            var items: [(SecretName, StoredSecret)] = []
            var (left, size) = (0, 0)
            var batch = BatchSize()
            for (name, entry) in view.index.all where !name.namespace.isLibraryOwned {
                guard entry.accessibility & 0x80 == 0 else {
                    left += 1
                    continue
                }
                batch.add(name, value: Int(entry.sealedSize))
                guard batch.bytes <= self.configuration.batchLimit else {
                    throw SecretStoreError(
                        code: .tooLarge,
                        message: "the items are too large for one backup: it could not be imported",
                        path: self.place.path
                    )
                }
                let stored = try self.value(of: name, Place(entry, in: view))
                size += 8 + name.namespace.rawValue.utf8.count + name.name.utf8.count + stored.value.count
                items.append((name, stored))
            }
            return (items, left, size)
        }
        let cost = configuration.argon2
        return try await derivations.run { () throws(SecretStoreError) in
            let padded = (size + 63) / 64 * 64
            let plain = SecretBytes(capacity: padded) { (output: inout OutputSpan<UInt8>) in
                for (name, stored) in items { output.appendItem(name, stored) }
                while output.count < padded { output.append(0) }
            }
            var file = Self.backupMagic
            file.append(Layout.version)
            for number in [cost.memory, cost.passes, cost.lanes] { file.append(number) }
            let (salt, nonce) = (randomBytes(16), randomBytes(12))
            file += salt + nonce
            do {
                let key = try Argon2.derive(passphrase, salt: salt, cost)
                file += try Sealed.seal(plain, under: key, nonce: nonce, binding: file)
                try self.files.makeFile(path, of: file)
            } catch let error as SystemCallError {
                throw .system(error, path)
            } catch {
                throw SecretStoreError(
                    code: .systemFailure,
                    message: "the backup was not written",
                    path: path,
                    cause: error
                )
            }
            return (items.count, left)
        }
    }

    /// Writes all items of a backup to the store as one commit. The items replace the store's items of the
    /// same names.
    ///
    /// A backup with one of the library's own items is refused as a whole. A forged item could replace the
    /// stored passcode, the number of wrong passcodes or the state of a `GoalLockService`.
    /// ``export(to:passphrase:)`` leaves these items out.
    ///
    /// - Returns: the number of items in the backup.
    /// - Throws: `wrongKey` if the passphrase is wrong or the file was altered; `damaged`, `newerFormat`;
    ///   `tooLarge` if the items exceed the size of one commit; `invalidName` if an item is the library's
    ///   own. On an error the store is unchanged, except perhaps on `durabilityUnknown`.
    public func `import`(from path: String, passphrase: SecretBytes) async throws(SecretStoreError) -> Int {
        let files = files
        let backup = try await derivations.run { () throws(SecretStoreError) in
            try Self.opened(files, path, passphrase, limit: self.configuration.batchLimit)
        }
        return try await `import`(backup)
    }

    /// Opens a backup. A command that makes a missing store opens the backup first, so that no store is made
    /// for a backup that cannot be imported.
    ///
    /// - Throws: the errors of ``import(from:passphrase:)`` that are about the backup.
    package static func backup(
        at path: String,
        passphrase: SecretBytes
    ) async throws(SecretStoreError) -> OpenedBackup {
        try await WorkerThread().run { () throws(SecretStoreError) in
            try Self.opened(POSIXFiles(), path, passphrase, limit: BatchSize.limit)
        }
    }

    /// Writes all items of an opened backup to the store, as ``import(from:passphrase:)`` does. Returns the
    /// number of items.
    package func `import`(_ backup: OpenedBackup) async throws(SecretStoreError) -> Int {
        _ = try await commit(backup.changes)
        return backup.changes.count
    }

    private static func opened(
        _ files: any KeystoreFiles,
        _ path: String,
        _ passphrase: SecretBytes,
        limit: Int
    ) throws(SecretStoreError) -> OpenedBackup {
        let changes = try items(files, path, passphrase, limit: limit)
        if let own = changes.first(where: \.name.namespace.isLibraryOwned) {
            throw SecretStoreError(
                code: .invalidName,
                message: "the backup holds \(own.name), which is the library's own: nothing was taken in",
                path: path
            )
        }
        return OpenedBackup(changes: changes)
    }

    private static func items(
        _ files: any KeystoreFiles,
        _ path: String,
        _ passphrase: SecretBytes,
        limit: Int
    ) throws(SecretStoreError) -> [SecretChange] {
        let file: [UInt8]
        do {
            let descriptor = OpenDescriptor(try files.open(path, .read), files)
            let size = try files.status(of: descriptor.number).size
            // The size is checked before memory is allocated, because a file can claim to be larger than any
            // memory.
            guard size <= Layout.largestFrame else {
                throw SecretStoreError.damaged("this is no backup", path)
            }
            file = try LogFile.bytes(files, descriptor, path, at: 0, Int(size))
        } catch let error as SystemCallError {
            throw .system(error, path)
        } catch {
            throw error as? SecretStoreError ?? .damaged("the backup was not read", path)
        }
        guard file.count >= backupHead + 16, file.slice(0, 8) == backupMagic else {
            throw .damaged("this is no backup", path)
        }
        guard Layout.readableVersions.contains(file.number(UInt32.self, at: 8)) else {
            throw SecretStoreError(code: .newerFormat, message: "the backup is of a newer format", path: path)
        }
        let cost = Argon2Parameters(
            memory: file.number(at: 12),
            passes: file.number(at: 16),
            lanes: file.number(at: 20)
        )
        guard cost.isSane else { throw .damaged("Argon2id with \(cost) is not allowed", path) }
        do {
            let key = try Argon2.derive(passphrase, salt: file.slice(24, 16), cost)
            let plain = try Sealed.open(
                Array(file[backupHead...]),
                under: key,
                nonce: file.slice(40, 12),
                binding: Array(file[..<backupHead])
            )
            guard let plain else {
                throw SecretStoreError(
                    code: .wrongKey,
                    message: "the passphrase is wrong, or the backup was altered",
                    path: path
                )
            }
            return try plain.withBytes { (bytes) throws(SecretStoreError) in
                try decode(bytes, limit: limit, path)
            }
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the backup was not opened",
                    path: path,
                    cause: error
                )
        }
    }

    /// Decodes the items of an opened backup.
    ///
    /// - Parameters:
    ///   - bytes: the items, and zeros after them.
    ///   - limit: the largest size of a commit, as ``BatchSize`` counts it. Decoding ends with `tooLarge` as
    ///     soon as the items exceed the limit. If only the commit checked the limit, many small items would
    ///     first take several times their size in memory.
    ///   - path: the path of the backup, for errors.
    /// - Throws: `damaged` if the bytes are no items; `tooLarge`.
    static func decode(
        _ bytes: Span<UInt8>,
        limit: Int,
        _ path: String
    ) throws(SecretStoreError) -> [SecretChange] {
        func damaged() -> SecretStoreError { .damaged("the backup's items make no sense", path) }
        var changes: [SecretChange] = []
        var batch = BatchSize()
        var at = 0
        while at + 8 <= bytes.count, bytes[at] != 0 {
            guard let accessibility = Accessibility(byte: bytes[at]) else { throw damaged() }
            let namespaceSize = Int(bytes[at + 1])
            let nameSize = Int(bytes[at + 2]) | Int(bytes[at + 3]) << 8
            var size = 0
            for index in 0..<4 { size |= Int(bytes[at + 4 + index]) << (8 * index) }
            at += 8
            guard at + namespaceSize + nameSize + size <= bytes.count else { throw damaged() }
            func text(_ count: Int) -> String {
                defer { at += count }
                return String(decoding: (at..<at + count).map { bytes[$0] }, as: UTF8.self)
            }
            guard let namespace = try? SecretNamespace(text(namespaceSize)),
                let name = try? SecretName(text(nameSize), in: namespace)
            else { throw damaged() }
            batch.add(name, value: size)
            guard batch.bytes <= limit else {
                throw SecretStoreError(
                    code: .tooLarge,
                    message: "the backup's items are too large for one commit",
                    path: path
                )
            }
            let value = SecretBytes(copying: bytes.extracting(at..<at + size))
            at += size
            changes.append(.write(value, to: name, accessibility: accessibility, if: .none))
        }
        return changes
    }
}

extension OutputSpan<UInt8> {
    /// Appends an item in the format of a backup.
    fileprivate mutating func appendItem(_ name: SecretName, _ stored: StoredSecret) {
        append(stored.accessibility.byte)
        append(UInt8(name.namespace.rawValue.utf8.count))
        let nameSize = name.name.utf8.count
        append(UInt8(truncatingIfNeeded: nameSize))
        append(UInt8(truncatingIfNeeded: nameSize >> 8))
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: stored.value.count >> shift))
        }
        for byte in name.namespace.rawValue.utf8 { append(byte) }
        for byte in name.name.utf8 { append(byte) }
        stored.value.withBytes { bytes in
            for index in 0..<bytes.count { append(bytes[index]) }
        }
    }
}
