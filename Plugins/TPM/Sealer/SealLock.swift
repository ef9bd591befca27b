internal import PortcullisCore
internal import Synchronization
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Keeps one process from deleting an index that another process has made in a chip and not recorded yet.
///
/// A process that seals holds a shared lock until the seal is recorded or given up, or until the process
/// ends. A process that cleans up holds an exclusive lock. Without a file the lock works only within one
/// object.
final class SealLock: Sendable {
    private let path: String?
    /// The file descriptors of the shared locks. The key of each entry is the salt of a seal that is neither
    /// recorded nor given up yet. A descriptor is -1 if there is no file.
    private let shares = Mutex<[[UInt8]: CInt]>([:])

    init(path: String?) { self.path = path }

    deinit { shares.withLock { for descriptor in $0.values where descriptor >= 0 { close(descriptor) } } }

    /// Takes a shared lock for the seal with this salt.
    func share(for salt: [UInt8], pause: (Duration) -> Void) throws(PasscodeSealerError) {
        let descriptor = try path.map { (path) throws(PasscodeSealerError) in
            try Self.open(path, isExclusive: false, tries: 500, pause)
        }
        shares.withLock { $0[salt] = descriptor ?? -1 }
    }

    /// Releases the shared lock for the seal with this salt, because the seal is recorded or given up.
    func unshare(for salt: [UInt8]) {
        let descriptor = shares.withLock { $0.removeValue(forKey: salt) }
        if let descriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Takes the exclusive lock. The result is `nil` while this process has a seal that is neither recorded
    /// nor given up yet, or while another process holds a lock on the file.
    func exclude() throws(PasscodeSealerError) -> Exclusion? {
        guard shares.withLock(\.isEmpty) else { return nil }
        guard let path else { return Exclusion(descriptor: -1) }
        do throws(PasscodeSealerError) {
            return Exclusion(descriptor: try Self.open(path, isExclusive: true, tries: 1) { _ in })
        } catch {
            guard error.code == .hardwareBusy else { throw error }
            return nil
        }
    }

    /// Holds the exclusive lock as long as this object exists.
    final class Exclusion: Sendable {
        private let descriptor: CInt
        init(descriptor: CInt) { self.descriptor = descriptor }
        deinit { if descriptor >= 0 { close(descriptor) } }
    }

    private static func open(
        _ path: String,
        isExclusive: Bool,
        tries: Int,
        _ pause: (Duration) -> Void
    ) throws(PasscodeSealerError) -> CInt {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe systemOpen(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw PasscodeSealerError(
                code: .systemFailure,
                message: "\(path), which keeps two processes from sealing at once, cannot be opened"
            )
        }
        for _ in 0..<tries {
            if flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return descriptor }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            pause(.milliseconds(20))
        }
        close(descriptor)
        throw PasscodeSealerError(code: .hardwareBusy, message: "another process is sealing a passcode")
    }
}

/// Calls the system's `open`. The wrapper has a name of its own, because ``SealLock`` has a method `open`
/// too.
@unsafe
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    unsafe open(path, flags, mode)
}
