internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore

/// The findings of a check of a store's file.
public struct KeystoreReport: Sendable {
    /// The number of items that are not damaged.
    public let items: Int
    /// The number of frames that verified.
    public let frames: Int
    /// The size of the file in bytes, up to the last frame that verified.
    public let bytes: UInt64
    /// The places that do not verify. Damaged values come after all other places.
    public let damage: [KeystoreDamage]
    /// Whether the file ends with a write that was cut short. The next write moves the bytes of the
    /// unfinished write to a separate file.
    public let unfinishedTail: Bool

    /// Whether frames of the file are lost. The names of the items that a lost frame changed are lost too. So
    /// in a salvaged store, each item may have an earlier value or be missing, and a removed item may exist
    /// again. This includes passcodes and counts of wrong tries.
    public var hasLostFrames: Bool { damage.hasLostFrames }
}

/// A place in a store's file that does not verify.
public struct KeystoreDamage: Hashable, Sendable {
    /// The sequence number of the frame; 0 for header pages and values.
    public let frame: UInt64
    /// The offset in the file at which the damaged part begins.
    public let offset: UInt64
    /// The damaged item; `nil` if it is not known.
    public let item: SecretName?
    /// A description of the damage.
    public let message: String
}

extension [KeystoreDamage] {
    /// Whether one of the places is a frame.
    var hasLostFrames: Bool { contains { $0.frame > 0 } }
}

extension GcryptKeystore {
    /// Verifies every frame and every value of a store, and changes nothing.
    ///
    /// Other processes may read and write meanwhile. Values of a locked class are not opened; only their
    /// frames are verified.
    ///
    /// If the store's file looks damaged or does not fit the anchor, it is read again with the lock held. If
    /// the lock's file is missing, it is made for this. Where no lock's file can be made, as in a folder of
    /// another user, the store's file is read again without the lock.
    ///
    /// - Throws: the errors of opening a store, such as `wrongKey`; `damaged` if both header pages are
    ///   damaged, while all other damage is in the report; `rolledBack` if the configuration's anchor has
    ///   recorded a later state, or another store. A missing anchor is not made.
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

    /// Copies the undamaged items of a store to a new store, which the same credentials open.
    ///
    /// The damaged file is not changed. If the newest frame of an item is damaged, the new store has the
    /// item's value from before that frame. In the same way a removed item may exist again. The report has
    /// the damaged places. It does not have the names of the items in a damaged frame, because these names
    /// are lost too; see ``KeystoreReport/hasLostFrames``. Each frame is bound to the tag of the frame before
    /// it. So if the tag of a frame is damaged, the next frame is lost too.
    ///
    /// - Throws: the errors of ``check(_:)``; `alreadyExists` if a file is at `path`, or another process
    ///   makes one meanwhile; `invalidName` for a path that the store uses for its own files, or that ends in
    ///   `.lock`, `.new`, `.tail` or `.protected-key`. On an error no store is made, with one exception:
    ///   after `durabilityUnknown` there is a store, but a power failure may remove it. To salvage an older
    ///   copy on purpose, pass a configuration without the anchor.
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
            try header.advanceFile(firstSequence: survey.sequenceBeyondLost, path)
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
            // If the file looks damaged, or does not fit its anchors, another process may be writing. In that
            // case `read` returns `nil`, and the file and the anchors are read again with the lock held.
            if var survey = try read(opener, isAlone: false) { return try body(&survey) }
            let lock: FileLock
            do throws(SecretStoreError) {
                lock = try FileLock(opener.place, files, timeout: configuration.lockTimeout)
            } catch {
                // Where no lock can be taken, the file is read as if no process were writing. Another process
                // may still be writing through a writable mount of the file system, or as a user who may
                // write in the folder.
                guard isLockless(opener, error), var survey = try read(opener, isAlone: true) else {
                    throw error
                }
                return try body(&survey)
            }
            let found = try lock.whileHeld { (_) throws(SecretStoreError) in
                try read(opener, isAlone: true)
            }
            guard var survey = found else { preconditionFailure("no other process is writing") }
            return try body(&survey)
        }
    }

    /// Whether the file is read without the lock after the error `refusal`. This is so on a read-only file
    /// system. It is also so if there is no lock's file and this user may not make one in the folder.
    private static func isLockless(_ opener: StoreOpener, _ refusal: SecretStoreError) -> Bool {
        guard refusal.code == .notPermitted else { return refusal.code == .readOnly }
        // If the lock's file exists, this user may not open it, and another process may hold the lock. In
        // this case the result is `false`.
        do { return try opener.files.status(at: opener.place.lock) == nil } catch { return false }
    }

    /// Reads the anchors and the whole file.
    ///
    /// - Parameter isAlone: whether no other process is writing.
    /// - Returns: `nil` if the file looks damaged or does not fit its anchors while another process may be
    ///   writing. The writing may be the reason, so the caller reads again with the lock held.
    private static func read(_ opener: StoreOpener, isAlone: Bool) throws(SecretStoreError) -> Survey? {
        let anchors = opener.configuration.anchors(opener.files)
        // The anchors are read before the store is read. In the other order, a commit between the two reads
        // would make the store look older than its anchors.
        let records = try anchors.map { (anchor) throws(SecretStoreError) in try anchor.records() }
        if try opener.isMissing() {
            if records.contains(where: { $0 != nil }) { throw opener.storeIsGone }
            throw SecretStoreError(
                code: .missingStore,
                message: "there is no store here",
                path: opener.place.path
            )
        }
        let survey: Survey
        do throws(SecretStoreError) { survey = try Survey(opener) } catch {
            guard !isAlone, error.code == .damaged else { throw error }
            return nil
        }
        guard isAlone || survey.isClean else { return nil }
        for (anchor, records) in zip(anchors, records) {
            let known = Anchor(port: anchor, ring: survey.ring)
            let witness = try records.flatMap { (bytes) throws(SecretStoreError) in
                try known.witness(in: bytes)
            }
            guard try survey.isNotOlder(than: witness, of: known, isAlone: isAlone) else { return nil }
        }
        return survey
    }
}
