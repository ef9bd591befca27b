#if os(Linux)
internal import CLinux
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import LinuxSystem
public import PortcullisCore

/// A witness in the kernel's persistent keyring of this user: no file to be found, swapped or restored with the store.
///
/// It lasts as long as the machine runs, and no longer than the kernel keeps a keyring that is not used
/// (three days unless configured otherwise); the next opening then begins a new one. So an older store is
/// noticed where it is put back while the witness lasts, as by a restored backup or a sync of folders. For
/// the time in between, use a ``FileAnchor`` on another medium besides. Any process of the same user can
/// change it.
public struct KeyringAnchor: RollbackAnchor {
    /// The key's name.
    public let place: String

    /// A witness under a name that no other store of this user has, such as the store's path; at most 4,000 bytes.
    public init(name: String) { place = "portcullis:" + name }

    /// The key's content; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// - Throws: `unavailable` where there is no persistent keyring, `systemFailure` where it cannot be read.
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

    /// Puts the record in the key's place; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// - Throws: `unavailable` where there is no persistent keyring, `diskFull` where this user's share of the kernel's
    ///   memory is used up, else `systemFailure`.
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

    /// Forgets the witness, so that the next opening begins anew, as before an older store is put back on
    /// purpose.
    ///
    /// - Throws: as ``records()``; it is no error if there is none.
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
