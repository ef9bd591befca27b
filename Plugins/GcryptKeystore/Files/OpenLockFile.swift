internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// The open file of a store's lock. Another file may have replaced it at the path since the opening.
final class OpenLockFile: Sendable {
    let descriptor: OpenDescriptor
    /// The file's identity. No other file has the same identity while this file is open.
    let identity: FileIdentity
    /// A number that no other file of the same lock object has. The number tells counts of writes in
    /// different files apart, because these counts are not comparable.
    let number: UInt64
    /// The mapped words of the notice; `nil` if the file cannot be mapped.
    let words: SharedWords?
    /// The tick of the clock in which the last check found the file at its path with all words of the notice;
    /// see ``KeystoreFiles/now``.
    let wholeTick = Atomic<UInt64>(.max)

    /// Opens the file at a path, or makes it.
    init(_ path: String, _ files: any KeystoreFiles, number: UInt64) throws(SecretStoreError) {
        do {
            descriptor = OpenDescriptor(try files.open(path, .createIfMissing), files)
            let status = try files.status(of: descriptor.number)
            try FilePlace.demandPrivate(status, path, user: files.user)
            try FilePlace.demandSoleName(status, path)
            try Self.demandNotice(descriptor, status, path, files)
            identity = status.identity
        } catch let error as SystemCallError {
            throw .system(error, path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the lock failed", path: path)
        }
        self.number = number
        words = files.share(descriptor.number, at: path, words: LockNotice.Word.count)
    }

    /// Refuses a file that no writer of a store can have made. A writer would overwrite the beginning of such
    /// a file.
    private static func demandNotice(
        _ file: OpenDescriptor,
        _ status: FileStatus,
        _ path: String,
        _ files: any KeystoreFiles
    ) throws(SecretStoreError) {
        if status.size == 0 { return }
        // The first word of a notice is 0 or 1. A full disk may have cut the words short, so a missing byte
        // counts as 0.
        let first = try LogFile.bytes(files, file, path, at: 0, LockNotice.Word.size)
        let isNotice =
            status.size <= LockNotice.size && first.first ?? 0 <= 1
            && first.dropFirst().allSatisfy { $0 == 0 }
        guard isNotice else {
            throw SecretStoreError(
                code: .untrustedFile,
                message: "the file lies where the store keeps its lock, and is none: move it away",
                path: path
            )
        }
    }
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
