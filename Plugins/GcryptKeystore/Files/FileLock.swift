internal import PortcullisCore

/// The lock of a store: a file of its own that is never unlinked, so that everyone locks the same one.
///
/// The system frees it when its holder dies. Used on threads that may block only.
final class FileLock: Sendable {
    private let file: OpenDescriptor
    private let path: String
    private let files: any KeystoreFiles
    private let timeout: Duration

    init(_ place: FilePlace, _ files: any KeystoreFiles, timeout: Duration) throws(SecretStoreError) {
        do {
            file = OpenDescriptor(try files.open(place.lock, .createIfMissing), files)
            try FilePlace.demandPrivate(try files.status(of: file.number), place.lock, user: files.user)
        } catch let error as SystemCallError {
            throw .system(error, place.lock)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the lock failed", path: place.lock)
        }
        path = place.lock
        self.files = files
        self.timeout = timeout
    }

    /// Runs `body` with the lock held.
    ///
    /// - Parameter limit: how long to wait for it, where that is less than the store's own limit.
    func whileHeld<Value>(
        within limit: Duration? = nil,
        _ body: () throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        try acquire(within: min(limit ?? timeout, timeout))
        defer { files.unlock(file.number) }
        return try body()
    }

    /// What those who write leave for others to know, in the lock's file.
    ///
    /// It lives as long as the system's cache of the store's file does: it is not synced, and after a restart what is on
    /// disk is what is seen.
    struct Notice {
        var note: Note
        /// How often somebody has begun to write; `nil` where nobody counts.
        var writes: UInt64?

        /// Whether others may have written since the count was this one.
        func hasOthers(since count: UInt64?) -> Bool { writes == nil || writes != count }
    }

    /// How far a writer came; the first byte of the lock's file.
    enum Note: UInt8 {
        /// All that was written is on disk.
        case settled = 0
        /// A sync failed: what the system shows may not be on disk, and no later sync will write it.
        case failedSync = 1
        /// Somebody is writing. If the lock is free he was killed, or gave up: it may not be on disk yet.
        case writing = 2
    }

    /// What was left.
    ///
    /// Without the lock held `settled` says that all that was begun before is on disk; others say nothing. In either case
    /// whoever began to write since has made the count another one.
    func notice() throws(SecretStoreError) -> Notice {
        let bytes = try LogFile.bytes(files, file, path, at: 0, Self.noticeSize)
        // An unknown note is one more reason to be careful.
        let note = bytes.first.map { Note(rawValue: $0) ?? .failedSync } ?? .settled
        return Notice(note: note, writes: bytes.count == Self.noticeSize ? bytes.number(at: 1) : nil)
    }

    /// Leaves word that somebody begins to write; a note that says more than that stays.
    ///
    /// - Returns: the count of those who began.
    func begin(after last: Notice) throws(SecretStoreError) -> UInt64 {
        let writes = (last.writes ?? 0) &+ 1
        var bytes = [last.note == .settled ? Note.writing.rawValue : last.note.rawValue]
        bytes.append(writes)
        try leave(bytes)
        return writes
    }

    /// Leaves a note.
    func leave(_ note: Note) throws(SecretStoreError) { try leave([note.rawValue]) }

    private static let noticeSize = 1 + MemoryLayout<UInt64>.size

    private func leave(_ bytes: [UInt8]) throws(SecretStoreError) {
        do {
            try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(file.number, bytes, at: 0)
            }
        } catch {
            throw .system(error, path)
        }
    }

    private func acquire(within timeout: Duration) throws(SecretStoreError) {
        // Most often nobody has it, and no clock is asked.
        var start: ContinuousClock.Instant?
        var pause: UInt32 = 50
        while true {
            do {
                if try files.tryLock(file.number) { return }
            } catch {
                throw .system(error, path)
            }
            let now = ContinuousClock.now
            let began = start ?? now
            start = began
            if now - began >= timeout {
                throw SecretStoreError(
                    code: .lockTimeout,
                    message: "another process held the store's lock for too long",
                    path: path
                )
            }
            // Uneven, so that waiters do not march in step.
            Threads.sleep(microseconds: pause + UInt32.random(in: 0...pause))
            pause = min(pause * 2, 2000)
        }
    }
}

/// An open file that closes itself with its last user.
final class OpenDescriptor: Sendable {
    let number: Int32
    private let files: any KeystoreFiles

    init(_ number: Int32, _ files: any KeystoreFiles) {
        self.number = number
        self.files = files
    }

    deinit { files.close(number) }
}
