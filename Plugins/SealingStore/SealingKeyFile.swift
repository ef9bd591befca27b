internal import LinuxSystem
public import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A wrapping key in a file: 32 random bytes that only the file's owner may read. The owner is the user of
/// this process, or root.
///
/// The calls block until the file system has finished.
public struct SealingKeyFile: Sendable {
    /// The file's path.
    public let path: String

    private static let size = 32

    /// Makes the value for a file at this path. The file itself is neither read nor made.
    public init(path: String) { self.path = path }

    /// Reads the key. If a link is at the path, the link is followed, because a mounted secret can be a link.
    ///
    /// - Returns: the key; `nil` if there is no file.
    /// - Throws:
    ///   - `notPermitted` if this process may not read the file, or if the file is not a regular file,
    ///   - `notPermitted` if the owner is another user than root or the user of this process, or if another
    ///     user has a permission,
    ///   - `wrongKey` if the file does not hold 32 bytes,
    ///   - `systemFailure` if the file cannot be read for another reason.
    public func read() throws(SecretStoreError) -> SecretBytes? {
        // `O_NONBLOCK` keeps a pipe at the path from blocking the call. `O_NOCTTY` keeps a terminal at the
        // path from becoming the terminal of this process.
        let descriptor = Descriptors.aboveStandard(
            unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        )
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw SecretStoreError(
                code: .notPermitted,
                message: "a key file is a file that its owner alone may read and write (mode 0600)",
                path: path
            )
        }
        guard [geteuid(), 0].contains(status.st_uid) else {
            throw SecretStoreError(
                code: .notPermitted,
                message: "a key file belongs to the user of the process, or to root",
                path: path
            )
        }
        let key: SecretBytes
        do throws(SecretReader.Failure) {
            key = try SecretReader(descriptor).everything(longest: Self.size)
        } catch {
            switch error {
            case .tooLong: throw wrongSize
            case .system(let number): throw failure("read", number)
            }
        }
        guard key.count == Self.size else { throw wrongSize }
        return key
    }

    private var wrongSize: SecretStoreError {
        SecretStoreError(code: .wrongKey, message: "a key file holds \(Self.size) bytes", path: path)
    }

    /// Makes the file with a new key, if there is no file yet. If several processes do this at once, only one
    /// process makes the file. The file appears only when it is complete, and is on disk when the call
    /// returns.
    ///
    /// - Returns: the key in the file, and whether this call made the file.
    /// - Throws: the errors of ``read()``; `diskFull`, `readOnly`.
    public func make() throws(SecretStoreError) -> (key: SecretBytes, isNew: Bool) {
        if let key = try read() {
            // The process that made the file may have been killed before the folder was synced, so the folder
            // is synced here.
            try syncFolder()
            return (key, false)
        }
        let key = SecretBytes(randomCount: Self.size)
        let draft = "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max))"
        defer { unsafe unlink(draft) }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = Descriptors.aboveStandard(unsafe open(draft, flags, 0o600))
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        let isWritten = key.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe Descriptors.write($0, to: descriptor) }
        }
        guard isWritten, fsync(descriptor) == 0 else { throw failure("write") }
        guard unsafe link(draft, path) == 0 else {
            guard errno == EEXIST, let other = try read() else { throw failure("link") }
            // The process that made this file may not have synced the folder yet.
            try syncFolder()
            return (other, false)
        }
        try syncFolder()
        return (key, true)
    }

    /// Removes the file if it holds this key. A caller uses this for a key that it has made and then cannot
    /// use.
    ///
    /// - Throws: the errors of ``read()``; `readOnly`.
    public func remove(_ key: SecretBytes) throws(SecretStoreError) {
        guard let found = try read(), found.matches(key) else { return }
        guard unsafe unlink(path) == 0 else { throw failure("unlink") }
    }

    private func syncFolder() throws(SecretStoreError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let descriptor = Descriptors.aboveStandard(unsafe open(path.pathFolder, flags))
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync") }
    }

    private func failure(_ call: String, _ number: Int32 = errno) -> SecretStoreError {
        let code: SecretStoreErrorCode =
            switch number {
            case EACCES, EPERM: .notPermitted
            case ENOSPC, EDQUOT: .diskFull
            case EROFS: .readOnly
            default: .systemFailure
            }
        return SecretStoreError(
            code: code,
            message: "the key file cannot be used",
            path: path,
            cause: SystemCallError(errno: number, call: call)
        )
    }
}
