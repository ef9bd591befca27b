internal import LinuxSystem
internal import PortcullisCore

/// Files that a killed process may have left under the names of a store's own files.
extension FilePlace {
    /// The endings that a store adds to its path for the files that it keeps beside its own file.
    static let ownSuffixes = [".lock", ".new", ".tail", ".protected-key"]

    /// Refuses a path at which another store would keep a file of its own.
    ///
    /// For example, the compaction of a store `a` writes the file `a.new`. A copy of `a` at this path would
    /// look like the file of a killed compaction, and could be removed. With any other store at this path,
    /// the compaction would fail.
    ///
    /// - Throws: `invalidName`.
    func demandStoreName() throws(SecretStoreError) {
        // Bytes are compared. `hasSuffix` compares characters, and would miss an ending whose dot is part of
        // a combined character.
        let ending = name.utf8.reversed()
        guard !Self.ownSuffixes.contains(where: { ending.starts(with: $0.utf8.reversed()) }) else {
            throw SecretStoreError(
                code: .invalidName,
                message: """
                    a store's name must not end in .lock, .new, .tail or .protected-key, as files beside stores do
                    """,
                path: path
            )
        }
    }

    /// The first bytes of the file that a compaction writes, or of the file that keeps a tail.
    struct Mark {
        var magic: [UInt8]
        var storeID: [UInt8]
        /// For the file of a compaction: the lowest file generation that it may have. `nil` for the file of a
        /// tail, which has no generation.
        var fileGeneration: UInt64?

        /// The number of bytes to read from a file's beginning.
        static let size = 48

        fileprivate func begins(_ bytes: [UInt8]) -> Bool {
            guard bytes.count >= 32, bytes.slice(0, 8) == magic, bytes.slice(16, 16) == storeID else {
                return false
            }
            guard let fileGeneration else { return true }
            return bytes.count >= Self.size && bytes.number(at: 40) >= fileGeneration
        }
    }

    /// Refuses a file unless this store has left it behind. The check keeps the store from removing or
    /// overwriting a file that is not its own.
    ///
    /// - Parameter unsynced: how many bytes a writer writes before its first sync. A power failure may leave
    ///   a file that has only zeros, at most this many.
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
    /// Gives a file its final name, if no other file has that name yet.
    ///
    /// - Throws: `EEXIST` if another file has the name.
    func moveToFreeName(_ old: String, to new: String) throws(SystemCallError) {
        do throws(SystemCallError) { try link(old, to: new) } catch {
            guard error.meansNoLinks else { throw error }
            // On a file system without hard links, the check and the renaming are two steps. If another
            // process makes a file with the new name between the two steps, the renaming replaces that file.
            guard try status(at: new) == nil else { throw .isThere }
            return try rename(old, to: new)
        }
        // The file has its final name by now. If the old name cannot be removed, it stays as garbage, as
        // after a kill.
        try? unlink(old)
    }

    /// Makes a file of these bytes. They are written under a random name, and synced. The file then gets its
    /// final name, and the folder is synced. So a killed process never leaves a part of the bytes under the
    /// final name. On an error this call leaves no file of that name, unless the file cannot be removed.
    ///
    /// - Throws: `EEXIST` if another file has the name.
    func makeFile(_ path: String, of bytes: [UInt8]) throws(SystemCallError) {
        guard try status(at: path) == nil else { throw .isThere }
        let new = "\(path).\(randomBytes(8).map { String($0, radix: 16) }.joined()).new"
        let descriptor = OpenDescriptor(try open(new, .createNew), self)
        do throws(SystemCallError) {
            try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe write(descriptor.number, bytes, at: 0)
            }
            try syncData(descriptor.number)
            try moveToFreeName(new, to: path)
        } catch {
            try? unlink(new)
            throw error
        }
        do throws(SystemCallError) { try syncFolder(path.pathFolder) } catch {
            // The name was free before, so the file at `path` is this call's and may be removed.
            try? unlink(path)
            throw error
        }
    }
}
