#if os(Linux)
internal import CLinux
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import LinuxSystem
public import PortcullisCore

/// An anchor in the persistent keyring that the kernel keeps for this user. The keyring is not a file, so it cannot
/// be found, swapped or restored together with the store.
///
/// The anchor's record lasts until the machine restarts or the keyring expires. By default an unused keyring
/// expires after three days. The next opening of the store then makes a new record. So the store's age is
/// checked only while the record lasts. Within that time a restored backup or an older copy from a folder
/// sync is detected. For longer times use a ``FileAnchor`` on another medium as well. Any process of the same
/// user can change the record.
public struct KeyringAnchor: RollbackAnchor {
    /// The key's name.
    public let place: String

    /// Makes an anchor under a name of at most 4,000 bytes. Each store of this user needs a name of its own,
    /// such as the store's path.
    public init(name: String) { place = "portcullis:" + name }

    /// The key's content; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// - Throws: `unavailable` if the system has no persistent keyring, `systemFailure` if the keyring cannot
    ///   be read, `damaged` if the key's size is wrong.
    public func records() throws(SecretStoreError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Anchor.size)
        var span = bytes.mutableSpan
        var raw = unsafe span.mutableBytes
        let size = unsafe raw.withUnsafeMutableBytes { buffer in
            unsafe clinux_read_key(place, buffer.baseAddress, buffer.count)
        }
        if size < 0 {
            let number = errno
            if number == ENOKEY { return nil }
            throw failure(number)
        }
        guard size == Anchor.size else { throw .damaged("the anchor does not verify", place) }
        return bytes
    }

    /// Replaces the key's content by the record; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// - Throws: `unavailable` if the system has no persistent keyring, `diskFull` if this user's quota of
    ///   kernel memory is used up, else `systemFailure`.
    public func keep(
        _ record: [UInt8],
        turn: UInt64,
        for reason: AnchorReason
    ) throws(SecretStoreError) {
        let result = unsafe record.span.bytes.withUnsafeBytes { bytes in
            unsafe clinux_keep_key(place, bytes.baseAddress, bytes.count)
        }
        if result < 0 { throw failure(errno) }
    }

    /// Removes the record, so that the next opening of the store makes a new one. An app calls this before it
    /// restores an older store on purpose.
    ///
    /// - Throws: `unavailable` and `systemFailure` as ``records()``. A missing record is not an error.
    public func forget() throws(SecretStoreError) {
        if unsafe clinux_drop_key(place) < 0, errno != ENOKEY { throw failure(errno) }
    }

    private func failure(_ number: Int32) -> SecretStoreError {
        let cause = SystemCallError(errno: number, call: "keyctl")
        switch number {
        case ENOSYS, EOPNOTSUPP, EPERM, EACCES:
            return SecretStoreError(
                code: .unavailable,
                message: "the system gives this process no persistent keyring",
                path: place,
                cause: cause
            )
        default: return .system(cause, place)
        }
    }
}
#endif
