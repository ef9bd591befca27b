internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore

/// What a check of a store's file found.
public struct KeystoreReport: Sendable {
    /// The items that can be read.
    public let items: Int
    /// The frames that verified.
    public let frames: Int
    /// The file's bytes up to the last frame that verified.
    public let bytes: UInt64
    /// What does not verify, in the order of the file.
    public let damage: [KeystoreDamage]
    /// Whether a write was cut short at the end of the file; the next write sets it aside.
    public let unfinishedTail: Bool
}

/// A place in a store's file that does not verify.
public struct KeystoreDamage: Hashable, Sendable {
    /// The sequence number of the frame; 0 for header pages and values.
    public let frame: UInt64
    /// Where it begins in the file.
    public let offset: UInt64
    /// The item, where it is known.
    public let item: SecretName?
    /// What is wrong with it.
    public let message: String
}

extension GcryptKeystore {
    /// Verifies every frame and every value of a store, without changing anything.
    ///
    /// Others may read and write meanwhile. Values of a class that is locked are not opened, only their frames verified.
    ///
    /// - Throws: the codes of a store that cannot be looked at, such as `wrongKey`; damage is in the report. A
    ///   file both of whose header pages are damaged throws `damaged`. `rolledBack` where the configuration's anchor knows of
    ///   a later state, or of another store; an anchor that is missing is not made.
    public static func check(
        _ configuration: KeystoreConfiguration
    ) async throws(SecretStoreError) -> KeystoreReport {
        try await check(configuration, files: POSIXFiles())
    }

    package static func check(
        _ configuration: KeystoreConfiguration,
        files: any KeystoreFiles
    ) async throws(SecretStoreError) -> KeystoreReport {
        try await survey(configuration, files) { (survey: inout Survey) throws(SecretStoreError) in
            while try survey.nextItem() != nil {}
            return survey.report
        }
    }

    /// Writes what is undamaged of a store to a new file, which the same credentials open.
    ///
    /// The damaged file stays as it is. An item whose newest frame is damaged comes back as the one before it, and
    /// a removed one may come back: the report says where to doubt. A frame whose tag is damaged takes the one behind it
    /// along, which is bound to it.
    ///
    /// - Throws: what ``check(_:)`` does; `alreadyExists` when there is a file at `path`, or comes to be there meanwhile;
    ///   `invalidName` for a path that a store takes for its own files, or one that ends as theirs do. Nothing is written
    ///   then. To salvage an older store that is meant, leave out its anchor.
    public static func salvage(
        _ configuration: KeystoreConfiguration,
        to path: String
    ) async throws(SecretStoreError) -> KeystoreReport {
        try await salvage(configuration, to: path, files: POSIXFiles())
    }

    package static func salvage(
        _ configuration: KeystoreConfiguration,
        to path: String,
        files: any KeystoreFiles
    ) async throws(SecretStoreError) -> KeystoreReport {
        try await survey(configuration, files) { (survey: inout Survey) throws(SecretStoreError) in
            let place = FilePlace(path: path)
            try place.demandStoreName()
            try FilePlace(path: configuration.path).demandForeign(path, files)
            try place.demandForeign(configuration.path, files)
            do {
                if try files.status(at: path) != nil {
                    throw SecretStoreError(
                        code: .alreadyExists,
                        message: "the file is there already",
                        path: path
                    )
                }
            } catch let error as SystemCallError {
                throw .system(error, path)
            } catch {
                throw error as? SecretStoreError
                    ?? SecretStoreError(code: .systemFailure, message: "nothing was written", path: path)
            }
            var header = survey.view.header
            try header.advanceFile(firstSequence: survey.view.cursor.sequence + 1, path)
            _ = try FileWriter(files: files, place: place).makeStore(
                header: header,
                storeKey: survey.ring.storeKey,
                lastVersion: survey.versionBeyondLost
            ) { () throws(SecretStoreError) in try survey.nextItem() }
            return survey.report
        }
    }

    private static func survey<Value: Sendable>(
        _ configuration: KeystoreConfiguration,
        _ files: any KeystoreFiles,
        _ body: @escaping @Sendable (inout Survey) throws(SecretStoreError) -> Value
    ) async throws(SecretStoreError) -> Value {
        let opener = StoreOpener(configuration: configuration, files: files)
        return try await WorkerThread().run { () throws(SecretStoreError) in
            let anchors = configuration.anchors(files)
            // Before the store is read: what is committed meanwhile must not make the store look old.
            let records = try anchors.map { (anchor) throws(SecretStoreError) in try anchor.records() }
            if try opener.isMissing() {
                if records.contains(where: { $0 != nil }) { throw opener.storeIsGone }
                throw SecretStoreError(
                    code: .missingStore,
                    message: "there is no store here",
                    path: configuration.path
                )
            }
            var survey = try read(opener)
            for (anchor, records) in zip(anchors, records) {
                let known = Anchor(port: anchor, ring: survey.ring)
                let witness = try records.flatMap { (bytes) throws(SecretStoreError) in
                    try known.witness(in: bytes)
                }
                try survey.demandNotOlder(than: witness, of: known)
            }
            return try body(&survey)
        }
    }

    /// Reads the whole file, and once more with the lock held where something is wrong: another process may
    /// be writing.
    private static func read(_ opener: StoreOpener) throws(SecretStoreError) -> Survey {
        do throws(SecretStoreError) {
            let survey = try Survey(opener)
            if survey.isClean { return survey }
        } catch {
            guard error.code == .damaged else { throw error }
        }
        let lock: FileLock
        do throws(SecretStoreError) {
            lock = try FileLock(opener.place, opener.files, timeout: opener.configuration.lockTimeout)
        } catch {
            // On a file system that cannot be written no process is writing.
            guard error.code == .readOnly else { throw error }
            return try Survey(opener)
        }
        return try lock.whileHeld { (_) throws(SecretStoreError) in try Survey(opener) }
    }
}
