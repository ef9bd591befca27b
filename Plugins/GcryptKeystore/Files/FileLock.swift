internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// The lock of a store. The lock is a separate file that is never unlinked, so that all processes lock the
/// same file.
///
/// The system frees the lock when its holder dies. A call may wait for the lock, so only threads that may
/// block use the lock.
final class FileLock: Sendable {
    let file: OpenDescriptor
    let path: String
    let files: any KeystoreFiles
    /// The mapped words of the notice; `nil` if the file cannot be mapped.
    let words: SharedWords?
    /// The tick of the clock in which the file was last seen to hold all words of the notice; see
    /// ``KeystoreFiles/now``.
    let noticeTick = Atomic<UInt64>(.max)
    private let timeout: Duration

    init(_ place: FilePlace, _ files: any KeystoreFiles, timeout: Duration) throws(SecretStoreError) {
        do {
            file = OpenDescriptor(try files.open(place.lock, .createIfMissing), files)
            let status = try files.status(of: file.number)
            try FilePlace.demandPrivate(status, place.lock, user: files.user)
            try FilePlace.demandSoleName(status, place.lock)
            try Self.demandNotice(file, status, place.lock, files)
        } catch let error as SystemCallError {
            throw .system(error, place.lock)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the lock failed", path: place.lock)
        }
        path = place.lock
        words = files.share(file.number, at: place.lock, words: LockNotice.Word.count)
        self.files = files
        self.timeout = timeout
    }

    /// Refuses a file that no writer of a store can have made, because a writer would overwrite the beginning
    /// of that file.
    private static func demandNotice(
        _ file: OpenDescriptor,
        _ status: FileStatus,
        _ path: String,
        _ files: any KeystoreFiles
    ) throws(SecretStoreError) {
        if status.size == 0 { return }
        // The first word of a notice is 0 or 1. A full disk may have cut the words short, so a missing byte counts as
        // 0.
        let first = try LogFile.bytes(files, file, path, at: 0, LockNotice.Word.size)
        let isNotice =
            status.size <= LockNotice.Word.count * LockNotice.Word.size && first.first ?? 0 <= 1
            && first.dropFirst().allSatisfy { $0 == 0 }
        guard isNotice else {
            throw SecretStoreError(
                code: .untrustedFile,
                message: "the file lies where the store keeps its lock, and is none: move it away",
                path: path
            )
        }
    }

    /// Runs `body` with the lock held. The argument of `body` proves that the lock is held.
    ///
    /// - Parameter limit: how long to wait for the lock at most. The store's own limit applies if it is
    ///   shorter.
    func whileHeld<Value>(
        within limit: Duration? = nil,
        _ body: (borrowing HeldLock) throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        try acquire(within: min(limit ?? timeout, timeout))
        defer { files.unlock(file.number) }
        return try body(HeldLock())
    }

    private func acquire(within timeout: Duration) throws(SecretStoreError) {
        // Most often the lock is free at the first attempt, and no clock is read.
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
            // The pause has a random length, so that waiting processes do not all try again at the same instants.
            Threads.sleep(microseconds: pause + UInt32.random(in: 0...pause))
            pause = min(pause * 2, 2000)
        }
    }
}

/// Proof that the store's lock is held. Methods that need the lock take one as an argument.
///
/// Only ``FileLock`` makes a value. The value cannot be copied, and is borrowed for as long as the lock is held, so
/// no caller can keep it.
struct HeldLock: ~Copyable {
    fileprivate init() {}
}

/// The descriptor of an open file. The file is closed when the last reference to this object is released.
final class OpenDescriptor: Sendable {
    let number: Int32
    private let files: any KeystoreFiles

    init(_ number: Int32, _ files: any KeystoreFiles) {
        self.number = number
        self.files = files
    }

    deinit { files.close(number) }
}
