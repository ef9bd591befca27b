internal import LinuxSystem
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
    private let state = Mutex(State())

    private struct State {
        /// The file descriptors of the shared locks. The key of each entry is the salt of a seal that is
        /// neither recorded nor given up yet. A descriptor is -1 if there is no file.
        var shares: [[UInt8]: CInt] = [:]
        /// Whether this object holds the exclusive lock.
        var isExclusive = false
    }

    init(path: String?) { self.path = path }

    deinit {
        state.withLock { for descriptor in $0.shares.values where descriptor >= 0 { close(descriptor) } }
    }

    /// Takes a shared lock for the seal with this salt. The call waits up to ten seconds for the end of an
    /// exclusive lock.
    ///
    /// - Throws: `hardwareBusy` after that time; `cancelled`; `systemFailure`.
    func share(for salt: [UInt8]) async throws(PasscodeSealerError) {
        for _ in 0..<500 {
            if try takeShare(for: salt) { return }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                throw PasscodeSealerError(code: .cancelled, message: "the task was cancelled")
            }
        }
        throw PasscodeSealerError(
            code: .hardwareBusy,
            message: "another task or process is deleting what earlier keys left in the chip"
        )
    }

    /// Takes a shared lock. The result is `false` while another task or process holds the exclusive lock.
    private func takeShare(for salt: [UInt8]) throws(PasscodeSealerError) -> Bool {
        try state.withLock { (state) throws(PasscodeSealerError) in
            guard !state.isExclusive else { return false }
            guard let path else {
                state.shares[salt] = -1
                return true
            }
            guard let descriptor = try Self.open(path, isExclusive: false) else { return false }
            state.shares[salt] = descriptor
            return true
        }
    }

    /// Releases the shared lock for the seal with this salt, because the seal is recorded or given up.
    func unshare(for salt: [UInt8]) {
        let descriptor = state.withLock { $0.shares.removeValue(forKey: salt) }
        if let descriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Takes the exclusive lock. The result is `nil` in two cases:
    /// - This object has a seal that still waits to be recorded or given up.
    /// - Another task or process holds a lock.
    func exclude() throws(PasscodeSealerError) -> Exclusion? {
        try state.withLock { (state) throws(PasscodeSealerError) in
            guard state.shares.isEmpty, !state.isExclusive else { return nil }
            var descriptor: CInt = -1
            if let path {
                guard let opened = try Self.open(path, isExclusive: true) else { return nil }
                descriptor = opened
            }
            state.isExclusive = true
            return Exclusion(descriptor: descriptor, of: self)
        }
    }

    /// Holds the exclusive lock until it is released, at the latest when the object goes away.
    final class Exclusion: Sendable {
        /// The file descriptor, -1 without a file; `nil` after the release.
        private let descriptor: Mutex<CInt?>
        private let lock: SealLock

        fileprivate init(descriptor: CInt, of lock: SealLock) {
            self.descriptor = Mutex(descriptor)
            self.lock = lock
        }

        deinit { release() }

        /// Releases the lock. A second call does nothing.
        func release() {
            let held = descriptor.withLock { descriptor in
                defer { descriptor = nil }
                return descriptor
            }
            guard let held else { return }
            if held >= 0 { close(held) }
            lock.state.withLock { $0.isExclusive = false }
        }
    }

    /// Opens and locks the file. The result is `nil` while another process holds a lock that excludes this
    /// one.
    private static func open(_ path: String, isExclusive: Bool) throws(PasscodeSealerError) -> CInt? {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe systemOpen(path, flags, 0o600)
        var result: CInt = -1
        if descriptor >= 0 {
            repeat {
                result = flock(descriptor, (isExclusive ? LOCK_EX : LOCK_SH) | LOCK_NB)
            } while result != 0 && errno == EINTR
        }
        if result == 0 { return descriptor }
        let isHeld = descriptor >= 0 && errno == EWOULDBLOCK
        if descriptor >= 0 { close(descriptor) }
        if isHeld { return nil }
        throw PasscodeSealerError(
            code: .systemFailure,
            message:
                "\(path), which keeps other processes from deleting a key that is being made, cannot be locked"
        )
    }
}

/// Calls the system's `open`. The wrapper has a name of its own, because ``SealLock`` has a method `open`
/// too.
@unsafe
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    Descriptors.aboveStandard(unsafe open(path, flags, mode))
}
