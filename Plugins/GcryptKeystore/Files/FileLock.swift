internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// The lock of a store.
///
/// A process locks a separate file, the lock's file, and then checks that this file is still at the lock's
/// path. No process of this library removes the file. If another program has removed or replaced the file,
/// the process opens the file that is at the path, or makes a new one. The system frees the lock when the
/// process that holds it ends. A call may wait for the lock, and is made on a thread that may block.
final class FileLock: Sendable {
    let path: String
    let files: any KeystoreFiles
    private let timeout: Duration
    /// The lock's file that this process opened last. Another file may be at the path by now.
    let known: Mutex<OpenLockFile>
    /// The number of the last file that was opened.
    private let opened = Atomic<UInt64>(0)

    init(_ place: FilePlace, _ files: any KeystoreFiles, timeout: Duration) throws(SecretStoreError) {
        known = Mutex(try OpenLockFile(place.lock, files, number: 0))
        path = place.lock
        self.files = files
        self.timeout = timeout
    }

    /// Runs `body` with the lock held. The argument of `body` proves that the lock is held.
    ///
    /// - Parameter limit: how long to wait for the lock at most. The store's own limit applies if it is
    ///   shorter.
    func whileHeld<Value>(
        within limit: Duration? = nil,
        _ body: (borrowing HeldLock) throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        let held = try acquire(within: min(limit ?? timeout, timeout))
        defer { files.unlock(held.file.descriptor.number) }
        return try body(held)
    }

    private func acquire(within timeout: Duration) throws(SecretStoreError) -> HeldLock {
        // `start` is set after the first failed attempt. Most often the first attempt succeeds, and no clock
        // is read.
        var start: ContinuousClock.Instant?
        var pause: UInt32 = 50
        while true {
            if let held = try tryToAcquire() { return held }
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
            // The pause has a random length, so that waiting processes do not all try again at the same
            // instants.
            Threads.sleep(microseconds: pause + UInt32.random(in: 0...pause))
            pause = min(pause * 2, 2000)
        }
    }

    /// Locks the file at the path; `nil` if another process holds the lock, or if the opened file is no
    /// longer at the path.
    private func tryToAcquire() throws(SecretStoreError) -> HeldLock? {
        let file = known.withLock { $0 }
        do throws(SystemCallError) {
            guard try files.tryLock(file.descriptor.number) else { return nil }
        } catch {
            throw .system(error, path)
        }
        // The path is checked after the file was locked. If another file is at the path, another process
        // could lock that file at the same time. A later removal of the file is not noticed here; see
        // `demandInPlace`.
        var isHeld = false
        defer { if !isHeld { files.unlock(file.descriptor.number) } }
        if let status = try status(), status.identity == file.identity {
            isHeld = true
            return HeldLock(file: file, size: status.size)
        }
        _ = try open(instead: file)
        return nil
    }

    /// Throws if the file that this process has locked is not at the path any more.
    ///
    /// If another file is at the path, another process may have locked that file, and may have changed the
    /// store. A writer calls this method before a step that would undo that change.
    func demandInPlace(_ held: borrowing HeldLock) throws(SecretStoreError) {
        guard try status()?.identity == held.file.identity else {
            throw SecretStoreError(
                code: .systemFailure,
                message: "the store's lock was removed during the change, and nothing was changed",
                path: path
            )
        }
    }

    /// The status of the file at the path; `nil` if no file is there.
    func status() throws(SecretStoreError) -> FileStatus? {
        do { return try files.status(at: path) } catch { throw .system(error, path) }
    }

    /// Opens the file that is at the path now, or makes it if there is none. The path does not lead to `old`
    /// any more.
    func open(instead old: OpenLockFile) throws(SecretStoreError) -> OpenLockFile {
        let number = opened.wrappingAdd(1, ordering: .relaxed).newValue
        let new = try OpenLockFile(path, files, number: number)
        return known.withLock { known in
            // Two counts of writes are comparable only if they were read through the same object. So if
            // another thread has opened the same file meanwhile, the object of that thread is kept.
            if known === old || known.identity != new.identity { known = new }
            return known
        }
    }
}

/// Proof that the store's lock is held. Methods that need the lock take this proof as an argument.
///
/// Only ``FileLock`` makes a value. The value cannot be copied. A caller borrows it while the lock is held,
/// and cannot keep it.
struct HeldLock: ~Copyable {
    /// The file that is locked.
    let file: OpenLockFile
    /// The file's size in bytes when it was locked.
    let size: UInt64

    fileprivate init(file: OpenLockFile, size: UInt64) { (self.file, self.size) = (file, size) }
}
