#if canImport(Glibc)
internal import Gcrypt
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import LinuxSystem
internal import PortcullisCore

/// The paths of a store's files, and the checks that these files must pass.
struct FilePlace: Sendable {
    let path: String

    var folder: String { path.pathFolder }
    /// The last part of the path.
    var name: Substring { path.pathName }
    var lock: String { path + ".lock" }
    var new: String { path + ".new" }
    var tail: String { path + ".tail" }
    var protectedKey: String { path + ".protected-key" }

    /// Opens the store's folder, for a sync after a change. The caller opens the folder before the change. If
    /// this fails, nothing has been changed, and the error does not count as a failed sync.
    func openFolder(_ files: any KeystoreFiles) throws(SecretStoreError) -> OpenDescriptor {
        do { return OpenDescriptor(try files.openFolder(folder), files) } catch {
            throw .system(error, folder)
        }
    }

    /// Refuses a path that the store uses for a file of its own. The store would overwrite or remove another
    /// file at this path.
    ///
    /// - Throws: `invalidName` for the path of the store's file, or of a file that the store keeps beside it.
    ///   Other spellings of these paths are refused too.
    func demandForeign(_ other: String, _ files: any KeystoreFiles) throws(SecretStoreError) {
        let place = FilePlace(path: other)
        let own = [path, lock, new, tail, protectedKey].map { FilePlace(path: $0).name }
        guard own.contains(where: { $0.utf8.elementsEqual(place.name.utf8) }) else { return }
        do throws(SystemCallError) {
            let folders = [folder, place.folder]
            let found = try (files.status(at: folders[0] + "/."), files.status(at: folders[1] + "/."))
            // Folders that do not exist yet are compared by their paths.
            let isSame =
                if let one = found.0, let other = found.1 { one.identity == other.identity } else {
                    folders[0] == folders[1]
                }
            guard isSame else { return }
        } catch {
            throw .system(error, other)
        }
        throw SecretStoreError(
            code: .invalidName,
            message: "the store keeps its own files under this name",
            path: other
        )
    }

    /// Refuses a file that is not a regular file, belongs to another user or is open to other users.
    static func demandPrivate(
        _ status: FileStatus,
        _ path: String,
        user: UInt32
    ) throws(SecretStoreError) {
        let fault: String? =
            if status.kind != .regular {
                status.kind == .link ? "is a symbolic link" : "is not a regular file"
            } else if status.owner != user {
                "belongs to another user"
            } else if status.mode & 0o077 != 0 {
                "is open to other users; `chmod 600` closes it"
            } else {
                nil
            }
        if let fault {
            throw SecretStoreError(code: .untrustedFile, message: "the file \(fault)", path: path)
        }
    }

    /// Refuses a file that has a second name: writing into the file would change it under its other name too.
    ///
    /// This check is for files that are written before anything in them was verified. The store's own file
    /// may have a second name, for example in a backup that uses hard links. That is safe, because the file
    /// is verified with the store's key before it is written.
    static func demandSoleName(_ status: FileStatus, _ path: String) throws(SecretStoreError) {
        guard status.links <= 1 else {
            throw SecretStoreError(
                code: .untrustedFile,
                message: "the file has another name, by a hard link",
                path: path
            )
        }
    }

    /// Refuses a folder in which other users could swap files.
    static func demandSafeFolder(
        _ path: String,
        _ files: any KeystoreFiles
    ) throws(SecretStoreError) {
        // The path may be a link to the folder. With `/.` at its end, the path leads to the folder itself,
        // which is checked.
        let status: FileStatus?
        do {
            status = try files.status(at: path + "/.")
        } catch {
            throw .system(error, path)
        }
        guard let status else { return }
        let shared = status.mode & 0o022 != 0 && status.mode & 0o1000 == 0
        guard status.owner == files.user || status.owner == 0, !shared else {
            throw SecretStoreError(
                code: .untrustedFile,
                message: "other users could replace files in this folder",
                path: path
            )
        }
    }
}

extension SystemCallError {
    /// Whether the call failed because the file to be made exists already.
    var isThereAlready: Bool { errno == EEXIST }

    /// The error for a file that should be made but exists already.
    static var isThere: SystemCallError { SystemCallError(errno: EEXIST, call: "link") }

    /// Whether the error means that the file system has no hard links.
    var meansNoLinks: Bool { [EPERM, ENOTSUP, ENOSYS].contains(errno) }

    /// Whether the call failed because this user has no right to it.
    var isRefusal: Bool { errno == EACCES || errno == EPERM }

    /// Whether the call failed because the file does not exist.
    var isMissing: Bool { errno == ENOENT }
}

extension SecretStoreError {
    /// The store's error for a failed system call.
    static func system(_ error: SystemCallError, _ path: String) -> SecretStoreError {
        let (code, message): (Code, String) =
            switch error.errno {
            case ELOOP: (.untrustedFile, "a symbolic link is in the way")
            case EISDIR, ENOTDIR: (.untrustedFile, "a folder or file is in the way")
            case EACCES, EPERM: (.notPermitted, "the system denied access")
            case ENOSPC, EDQUOT, EFBIG: (.diskFull, "no space is left")
            case EROFS: (.readOnly, "the file system is read-only")
            case ENOENT: (.systemFailure, "there is no such file or folder")
            case EEXIST: (.alreadyExists, "the file is there already")
            default: (.systemFailure, "the system failed")
            }
        return SecretStoreError(code: code, message: message, path: path, cause: error)
    }

    /// The store's error for a failure of libgcrypt.
    static func gcrypt(_ error: GcryptFailure, _ path: String?) -> SecretStoreError {
        SecretStoreError(
            code: .systemFailure,
            message: "the cryptographic library failed",
            path: path,
            cause: error
        )
    }

    static func damaged(_ message: String, _ path: String) -> SecretStoreError {
        SecretStoreError(code: .damaged, message: message, path: path)
    }
}
