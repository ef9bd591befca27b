internal import LinuxSystem
public import PortcullisCore

/// An anchor in a file. The file is best kept on another medium than the store's. The file has two records,
/// which are written in turn. So a kill during a write leaves the other record intact.
///
/// If the store exists and the anchor's file is missing, a new file is made. The file is synced after each
/// record, except after a record for the reason ``/PortcullisCore/AnchorReason/other``. A power failure may
/// remove the latest records for that reason. The anchor is then a few commits behind the store. It is never
/// ahead of the store.
public struct FileAnchor: RollbackAnchor {
    /// The file's path.
    public let place: String
    private let files: any KeystoreFiles

    /// Makes an anchor that keeps its records in the file at this path. If the file is missing, the first
    /// record creates it with mode 0600.
    public init(path: String) { self.init(path: path, files: POSIXFiles()) }

    package init(path: String, files: any KeystoreFiles) {
        place = path
        self.files = files
    }

    /// Locks the anchor's file, and makes it if it is missing; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// While one client has a claim, no other client gets one. A ``GcryptKeystore`` makes no claim, because
    /// all processes that open the store share the anchor.
    public func claim() throws(SecretStoreError) -> (any AnchorClaim)? {
        let descriptor = try open(.createIfMissing)
        do throws(SystemCallError) {
            if try files.tryLock(descriptor.number) {
                let own = try files.status(of: descriptor.number).identity
                // If the locked file is no longer at the path, other clients can lock another file there. So
                // this lock is not a claim.
                if try files.status(at: place)?.identity == own { return descriptor }
            }
        } catch {
            throw .system(error, place)
        }
        throw SecretStoreError(
            code: .lockTimeout,
            message: "another program has claimed the anchor",
            path: place
        )
    }

    /// The file's content; see ``/PortcullisCore/RollbackAnchor``.
    public func records() throws(SecretStoreError) -> [UInt8]? {
        do {
            guard try files.status(at: place) != nil else { return nil }
            return try LogFile.bytes(files, try open(.read), place, at: 0, 2 * Anchor.size)
        } catch let error as SystemCallError {
            throw .system(error, place)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the anchor was not read", path: place)
        }
    }

    /// Opens the anchor's file. Refuses a file that other users can open or that has a second name.
    private func open(_ mode: OpenMode) throws(SecretStoreError) -> OpenDescriptor {
        try openWithStatus(mode).descriptor
    }

    private func openWithStatus(
        _ mode: OpenMode
    ) throws(SecretStoreError) -> (descriptor: OpenDescriptor, status: FileStatus) {
        let descriptor: OpenDescriptor
        let status: FileStatus
        do {
            descriptor = OpenDescriptor(try files.open(place, mode), files)
            status = try files.status(of: descriptor.number)
        } catch {
            throw .system(error, place)
        }
        try FilePlace.demandPrivate(status, place, user: files.user)
        try FilePlace.demandSoleName(status, place)
        return (descriptor, status)
    }

    /// Overwrites the older of the two records; see ``/PortcullisCore/RollbackAnchor``.
    ///
    /// If the reason is greater than ``/PortcullisCore/AnchorReason/other``, the record is on disk when the
    /// call returns.
    public func keep(
        _ record: [UInt8],
        turn: UInt64,
        for reason: AnchorReason
    ) throws(SecretStoreError) {
        let (descriptor, status) = try openWithStatus(.createIfMissing)
        do throws(SystemCallError) {
            // The folder is synced before the first record is written. So after a power failure every file
            // with a record still has its name, whichever process made the file.
            if status.size == 0 { try files.syncFolder(place.pathFolder) }
            try unsafe record.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(descriptor.number, bytes, at: turn % 2 * UInt64(Anchor.size))
            }
            if reason > .other { try files.syncData(descriptor.number) }
        } catch {
            throw .system(error, place)
        }
    }
}

/// An anchor's open file is the claim on the anchor. The file stays locked until the descriptor is closed.
extension OpenDescriptor: AnchorClaim {}
