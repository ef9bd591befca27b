internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore

/// A slot whose key is protected by a ``/PortcullisCore/KeyProtector``, such as a TPM. The protected key is
/// in a file beside the store, `STORE.protected-key`.
extension GcryptKeystore {
    /// The path of the protected key's file, for a store at this path.
    public static func protectedKeyPath(of store: String) -> String { FilePlace(path: store).protectedKey }

    /// Adds a slot with a random key, and writes the protected key to the file. The file is written before
    /// the slot is added. So even after a kill, every added slot has its key in the file.
    ///
    /// There is only one such file beside a store. An existing file is not replaced, because it may have the
    /// key of another store, or a key that only other hardware can release. On a file system without hard
    /// links, a file that another process makes at the same moment may be replaced.
    ///
    /// If adding the slot fails, the new file is removed if its key surely opens no slot. A kill between the
    /// two steps leaves a file whose key opens no slot. The removal of the slot leaves such a file too. In
    /// both cases move the file away, and add the slot again.
    ///
    /// - Returns: the new slot, after it has become durable.
    /// - Throws: `alreadyExists` if there is a file; the errors of ``addSlot(_:)`` and of the protector.
    @discardableResult
    public func addSlot(protectedBy protector: any KeyProtector) async throws(SecretStoreError)
        -> KeystoreSlot
    {
        let file = ProtectedKeyFile(path: Self.protectedKeyPath(of: place.path), files: files)
        let old = try await worker.run { () throws(SecretStoreError) in try file.read() }
        if let old { throw try await refusal(of: old, file.path, protector) }
        let key = SecretBytes(randomCount: 32)
        let protected = try await protector.protect(key)
        try await worker.run { () throws(SecretStoreError) in try file.write(protected) }
        do throws(SecretStoreError) { return try await addSlot(.rawKey(key)) } catch {
            // The slot may have been added in spite of the error. The file is removed only if its key surely
            // opens no slot.
            let slots = try? await slot(for: .rawKey(key)).map { [$0] } ?? []
            if slots == [] {
                try? await worker.run { () throws(SecretStoreError) in try file.remove(protected) }
            }
            throw error
        }
    }

    /// Makes the error for an existing file at the path of the protected key. The message says what the file
    /// is.
    ///
    /// - Throws: the protector's error, if that error says nothing about the file.
    private func refusal(
        of protected: [UInt8],
        _ path: String,
        _ protector: any KeyProtector
    ) async throws(SecretStoreError) -> SecretStoreError {
        var cause: SecretStoreError?
        let message: String
        do throws(SecretStoreError) {
            let key = try await protector.release(protected)
            message =
                try await slot(for: .rawKey(key)) != nil
                ? "a protected key opens the store already"
                : "the protected key in the file opens no slot of this store: move the file away"
        } catch {
            switch error.code.portable {
            case .wrongKey: message = "other hardware opens the protected key in the file: move the file away"
            case .damaged: message = "the file is no protected key, or was altered: move the file away"
            default: throw error
            }
            cause = error
        }
        return SecretStoreError(code: .alreadyExists, message: message, path: path, cause: cause)
    }
}

extension KeystoreCredential {
    /// Makes the credential of the store at a path. The protector releases the credential's key from the file
    /// beside the store.
    ///
    /// The file of an earlier store may have been left. So open the store with
    /// ``KeystoreConfiguration/createsIfMissing`` set to `false`: a missing store would be made with the
    /// protector's hardware as its only way in.
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

    /// Makes the file of these bytes.
    ///
    /// - Throws: `alreadyExists` if there is a file at `path`.
    func write(_ bytes: [UInt8]) throws(SecretStoreError) {
        do { try files.makeFile(path, of: bytes) } catch { throw .system(error, path) }
    }

    /// Removes the file if it holds these bytes.
    func remove(_ bytes: [UInt8]) throws(SecretStoreError) {
        guard try read() == bytes else { return }
        do { try files.unlink(path) } catch { throw .system(error, path) }
    }
}
