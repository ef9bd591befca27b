internal import LinuxSystem
internal import PortcullisCore

/// What a process that was killed may have left under the names that a store takes for itself.
extension FilePlace {
    /// What the names of the files beside a store end in.
    static let ownSuffixes = [".lock", ".new", ".tail"]

    /// Refuses a path at which another store would keep a file of its own.
    ///
    /// A store that lies there could be taken for what is left of the other one's compaction, while that is still writing
    /// it.
    ///
    /// - Throws: `invalidName`.
    func demandStoreName() throws(SecretStoreError) {
        guard Self.ownSuffixes.allSatisfy({ !name.hasSuffix($0) }) else {
            throw SecretStoreError(
                code: .invalidName,
                message: "a store's name must not end in .lock, .new or .tail, as files beside stores do",
                path: path
            )
        }
    }

    /// How the file begins that a compaction writes, and the one of a tail that was set aside.
    struct Mark {
        var magic: [UInt8]
        var storeID: [UInt8]
        /// The least generation of a file that was being written; `nil` where the file has none.
        var fileGeneration: UInt64?

        /// How much of a file has to be read.
        static let size = 48

        fileprivate func begins(_ bytes: [UInt8]) -> Bool {
            guard bytes.count >= 32, bytes.slice(0, 8) == magic, bytes.slice(16, 16) == storeID else {
                return false
            }
            guard let fileGeneration else { return true }
            return bytes.count >= Self.size && bytes.number(at: 40) >= fileGeneration
        }
    }

    /// Refuses a file that is not what this store left there: it would be removed, or written over.
    ///
    /// - Parameter unsynced: how many bytes are written before the first sync. A power failure may leave zeros in their
    ///   place, but then there is no more in the file.
    /// - Throws: `untrustedFile`.
    static func demandLeftover(
        _ file: OpenDescriptor,
        _ path: String,
        _ mark: Mark,
        unsynced: UInt64,
        _ files: any KeystoreFiles
    ) throws(SecretStoreError) {
        let status: FileStatus
        do { status = try files.status(of: file.number) } catch { throw .system(error, path) }
        try demandPrivate(status, path, user: files.user)
        let bytes = try LogFile.bytes(files, file, path, at: 0, Mark.size)
        let isUnwritten = status.size <= unsynced && bytes.allSatisfy { $0 == 0 }
        guard isUnwritten || mark.begins(bytes) else {
            throw SecretStoreError(
                code: .untrustedFile,
                message: "the file lies where the store keeps one of its own, and is none: move it away",
                path: path
            )
        }
    }
}

extension KeystoreFiles {
    /// Gives a file that was written under a name of its own the name it is to have, if nothing has that yet.
    ///
    /// - Throws: `EEXIST` where something has it.
    func moveToFreeName(_ old: String, to new: String) throws(SystemCallError) {
        do throws(SystemCallError) { try link(old, to: new) } catch {
            guard error.meansNoLinks else { throw error }
            // The look and the renaming are two steps where no file has a second name: what comes between is replaced.
            guard try status(at: new) == nil else { throw .isThere }
            return try rename(old, to: new)
        }
        // The file is in its place by now. A second name that stays is the same garbage as after a kill.
        try? unlink(old)
    }
}
