internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore

/// A slot of the store whose key a ``/PortcullisCore/KeyProtector`` keeps, such as a TPM: what the protector gave lies in a file
/// beside the store, `STORE.protected-key`.
extension GcryptKeystore {
    /// Where the file is for a store at this path.
    public static func protectedKeyPath(of store: String) -> String { "\(store).protected-key" }

    /// Adds a slot with a random key that a protector keeps. The file with the protected key is made before the slot, so
    /// that a kill between the two leaves no slot that nothing opens.
    ///
    /// - Returns: the new slot, once it is durable.
    /// - Throws: `alreadyExists` where the key in the file opens the store already; as ``addSlot(_:)`` and the protector do.
    @discardableResult
    public func addSlot(protectedBy protector: any KeyProtector) async throws(SecretStoreError)
        -> KeystoreSlot
    {
        let file = ProtectedKeyFile(path: Self.protectedKeyPath(of: place.path), files: files)
        if let bytes = try await worker.run({ () throws(SecretStoreError) in try file.read() }) {
            // If another chip made the file, or the file is damaged, no key of this store is known.
            let known = try? await protector.release(bytes)
            if let known, try await slot(for: .rawKey(known)) != nil {
                throw SecretStoreError(
                    code: .alreadyExists,
                    message: "a protected key opens the store already",
                    path: file.path
                )
            }
        }
        let key = SecretBytes(randomCount: 32)
        let protected = try await protector.protect(key)
        try await worker.run { () throws(SecretStoreError) in try file.write(protected) }
        return try await addSlot(.rawKey(key))
    }
}

extension KeystoreCredential {
    /// The key that a protector keeps for the store at a path.
    ///
    /// - Throws: `keyMissing` where there is no such file; as the protector does.
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

/// The file with what a protector gave; it is no secret, and yet nobody else's business. Calls block.
struct ProtectedKeyFile: Sendable {
    let path: String
    let files: any KeystoreFiles
    /// Far more than any protector gives.
    private static let largest = 16384

    func read() throws(SecretStoreError) -> [UInt8]? {
        do {
            guard try files.status(at: path) != nil else { return nil }
            try FilePlace.demandSafeFolder(FilePlace.folder(of: path), files)
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

    /// Puts the file in the place of one that is there, durably.
    func write(_ bytes: [UInt8]) throws(SecretStoreError) {
        let new = "\(path).\(randomBytes(8).map { String($0, radix: 16) }.joined()).new"
        do throws(SystemCallError) {
            let descriptor = OpenDescriptor(try files.open(new, .createNew), files)
            do throws(SystemCallError) {
                try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                    try unsafe files.write(descriptor.number, bytes, at: 0)
                }
                try files.syncData(descriptor.number)
                try files.rename(new, to: path)
            } catch {
                try? files.unlink(new)
                throw error
            }
            try files.syncFolder(FilePlace.folder(of: path))
        } catch {
            throw .system(error, path)
        }
    }
}
