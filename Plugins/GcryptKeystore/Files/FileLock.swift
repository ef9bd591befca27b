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
    func whileHeld<Value>(_ body: () throws(SecretStoreError) -> Value) throws(SecretStoreError) -> Value {
        try acquire()
        defer { files.unlock(file.number) }
        return try body()
    }

    /// Notes, for whoever writes next, that a sync failed: what the system shows of the file may not be on disk.
    ///
    /// The note lives as long as the system's cache does: it is not synced, and after a restart what is on disk is
    /// what is seen. Failing to write it changes nothing for the better or worse.
    func noteFailedSync() {
        let note: [UInt8] = [1]
        unsafe note.span.bytes.withUnsafeBytes { bytes in
            try? unsafe files.write(file.number, bytes, at: 0)
        }
    }

    /// Whether such a note is there. Asked with the lock held.
    func hasFailedSync() throws(SecretStoreError) -> Bool {
        do { return try files.status(of: file.number).size > 0 } catch { throw .system(error, path) }
    }

    /// Takes the note away, after the file was written anew.
    func clearFailedSync() throws(SecretStoreError) {
        do { try files.truncate(file.number, to: 0) } catch { throw .system(error, path) }
    }

    private func acquire() throws(SecretStoreError) {
        let start = ContinuousClock.now
        var pause: UInt32 = 50
        while true {
            do {
                if try files.tryLock(file.number) { return }
            } catch {
                throw .system(error, path)
            }
            if ContinuousClock.now - start >= timeout {
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
