internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore

/// A slot whose key is protected by a ``/PortcullisCore/KeyProtector``, such as a TPM. The protected key is
/// in a file beside the store, `STORE.protected-key`.
extension GcryptKeystore {
    /// The path of the protected key's file, for a store at this path.
    public static func protectedKeyPath(of store: String) -> String { FilePlace(path: store).protectedKey }

    /// Adds a slot with a random key, and writes the protected key to the file. The file is written before
    /// the slot is added, so that a kill between the two never leaves a slot that no key opens.
    ///
    /// There is only one such file beside a store. If the protector's hardware cannot open the file, the
    /// key in the file may still be that of a slot. So the file is not replaced while the store has a slot
    /// with a raw key.
    ///
    /// - Returns: the new slot, after it has become durable.
    /// - Throws: `alreadyExists` if the key in the file opens the store already, or if the protector cannot release the
    ///   key in the file and a slot may need that key; the errors of ``addSlot(_:)`` and of the protector.
    @discardableResult
    public func addSlot(protectedBy protector: any KeyProtector) async throws(SecretStoreError)
        -> KeystoreSlot
    {
        let file = ProtectedKeyFile(path: Self.protectedKeyPath(of: place.path), files: files)
        let old = try await worker.run { () throws(SecretStoreError) in try file.read() }
        if let old { try await demandUnused(old, file.path, protector) }
        let key = SecretBytes(randomCount: 32)
        let protected = try await protector.protect(key)
        try await worker.run { () throws(SecretStoreError) in
            try file.write(protected, replacing: old != nil)
        }
        return try await addSlot(.rawKey(key))
    }

    /// Refuses to replace a protected key that a slot of this store needs, or may need.
    private func demandUnused(
        _ protected: [UInt8],
        _ path: String,
        _ protector: any KeyProtector
    ) async throws(SecretStoreError) {
        let known: SecretBytes
        do throws(SecretStoreError) { known = try await protector.release(protected) } catch {
            guard [.wrongKey, .damaged].contains(error.code.portable) else { throw error }
            // This hardware cannot open the file now. Other hardware may be able to, or this hardware after a
            // return to an earlier state. So the key in the file may be that of any slot with a raw key.
            let slots = try await slots().filter { $0.kind == .rawKey && $0.purpose == .store }
            if slots.isEmpty { return }
            let ids = slots.map { "\($0.id)" }.joined(separator: ", ")
            throw SecretStoreError(
                code: .alreadyExists,
                message: """
                    this hardware does not open the protected key in the file, which may be the key of slot \(ids): \
                    move the file away to keep it, or remove the slot
                    """,
                path: path,
                cause: error
            )
        }
        if try await slot(for: .rawKey(known)) != nil {
            throw SecretStoreError(
                code: .alreadyExists,
                message: "a protected key opens the store already",
                path: path
            )
        }
    }
}

extension KeystoreCredential {
    /// Makes the credential of the store at a path. The protector releases the credential's key from the file
    /// beside the store.
    ///
    /// - Throws: `keyMissing` if there is no file with a protected key; the errors of the protector.
    public static func protectedKey(
        of store: String,
        by protector: any KeyProtector
    ) async throws(SecretStoreError) -> KeystoreCredential {
        let file = ProtectedKeyFile(path: GcryptKeystore.protectedKeyPath(of: store), files: POSIXFiles())
        let queue = WorkerQueue("portcullis.protected-key")
        guard let bytes = try await queue.run({ () throws(SecretStoreError) in try file.read() }) else {
            throw SecretStoreError(
                code: .keyMissing,
                message: "no protected key lies beside the store",
                path: file.path
            )
        }
        return .rawKey(try await protector.release(bytes))
    }
}

/// The file with a protected key. The file is no secret, but other users may not open it. The calls block
/// until the file system has finished.
struct ProtectedKeyFile: Sendable {
    let path: String
    let files: any KeystoreFiles
    /// The largest size of the file in bytes, far larger than every protector's output.
    private static let largest = 16384

    func read() throws(SecretStoreError) -> [UInt8]? {
        do {
            guard try files.status(at: path) != nil else { return nil }
            try FilePlace.demandSafeFolder(path.pathFolder, files)
            let descriptor = OpenDescriptor(try files.open(path, .read), files)
            let status = try files.status(of: descriptor.number)
            try FilePlace.demandPrivate(status, path, user: files.user)
            guard status.size <= Self.largest else {
                throw SecretStoreError.damaged("the file is too large", path)
            }
            return try LogFile.bytes(files, descriptor, path, at: 0, Int(status.size))
        } catch let error as SystemCallError {
            throw .system(error, path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the file was not read", path: path)
        }
    }

    /// Writes the bytes to a file with a temporary name, syncs that file, and renames it to `path`.
    ///
    /// - Parameter replacing: whether an existing file at `path` is replaced.
    /// - Throws: `alreadyExists` if there is a file at `path` and `replacing` is `false`.
    func write(_ bytes: [UInt8], replacing: Bool) throws(SecretStoreError) {
        let new = "\(path).\(randomBytes(8).map { String($0, radix: 16) }.joined()).new"
        do throws(SystemCallError) {
            let descriptor = OpenDescriptor(try files.open(new, .createNew), files)
            do throws(SystemCallError) {
                try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                    try unsafe files.write(descriptor.number, bytes, at: 0)
                }
                try files.syncData(descriptor.number)
                if replacing {
                    try files.rename(new, to: path)
                } else {
                    try files.moveToFreeName(new, to: path)
                }
            } catch {
                try? files.unlink(new)
                throw error
            }
            try files.syncFolder(path.pathFolder)
        } catch {
            throw .system(error, path)
        }
    }
}
