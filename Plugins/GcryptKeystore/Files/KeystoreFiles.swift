package import LinuxSystem

/// The identity of a file. Two files that exist at the same time never have the same identity.
package struct FileIdentity: Sendable, Equatable {
    /// The number of the device, that is, of the file system.
    let device: UInt64
    private let number: UInt64

    /// Makes the identity of the file with this number on this device.
    package init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }
}

/// The results of `fstat` or `lstat` that the keystore needs.
package struct FileStatus: Sendable, Equatable {
    /// The kinds of file that the keystore distinguishes.
    package enum Kind: Sendable { case regular, folder, link, other }
    /// The kind of the file.
    package var kind: Kind
    /// The size of the file in bytes.
    package var size: UInt64
    /// The number of the file's names (hard links); 0 if each name was removed or now leads to another file.
    package var links: UInt64
    /// The number of the user who owns the file.
    package var owner: UInt32
    /// The permission bits.
    package var mode: UInt32
    /// The file's identity.
    package var identity: FileIdentity
    /// The time of the last write, renaming or linking, in nanoseconds; `nil` if the time was not requested.
    package var changed: UInt64?

    /// Makes a status of these parts.
    package init(
        kind: Kind,
        size: UInt64,
        links: UInt64,
        owner: UInt32,
        mode: UInt32,
        identity: FileIdentity,
        changed: UInt64?
    ) {
        (self.kind, self.size, self.links) = (kind, size, links)
        (self.owner, self.mode, self.identity) = (owner, mode, identity)
        self.changed = changed
    }
}

/// The ways to open a file.
package enum OpenMode: Sendable {
    /// For reading only; the file must exist.
    case read
    /// For reading and writing; the file must exist.
    case readWrite
    /// For reading and writing; a missing file is made with mode 0600.
    case createIfMissing
    /// For reading and writing; the file is made with mode 0600 and must not exist.
    case createNew
}

/// The calls by which the keystore accesses files. Tests use another implementation to inject failures of a
/// file system.
///
/// Except for ``openFolder(_:)``, no call follows a link at the last part of a path. Each read and write has
/// an explicit offset. All calls may block.
package protocol KeystoreFiles: Sendable {
    /// Opens a file and returns its descriptor, which is closed on `exec`.
    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32
    /// Closes a file.
    func close(_ file: Int32)
    /// The status of an open file, without the time of its last change.
    func status(of file: Int32) throws(SystemCallError) -> FileStatus
    /// The status of an open file, with the time of its last change.
    ///
    /// Callers request the time only if they need it. On some systems a request makes the next write slower,
    /// because that write then stores a more precise time on disk.
    func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus
    /// The status of the file at a path, without the time of its last change; `nil` if no file is there. A
    /// link is not followed.
    func status(at path: String) throws(SystemCallError) -> FileStatus?
    /// Looks paths up, and ignores the results. The lookup brings the system's data about the paths into the
    /// processor's caches, so that the next request for their status is faster.
    func prefetch(_ paths: String...)
    /// Reads until the buffer is full or the file ends. Returns the number of bytes read.
    @unsafe
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
        throws(SystemCallError) -> Int
    /// Writes the whole buffer.
    @unsafe
    func write(_ file: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemCallError)
    /// Cuts a file to a size in bytes.
    func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError)
    /// Makes a file's data durable.
    func syncData(_ file: Int32) throws(SystemCallError)
    /// Opens a folder for ``syncFolder(_:)`` and returns its descriptor, which is closed on `exec`.
    func openFolder(_ path: String) throws(SystemCallError) -> Int32
    /// Makes the entries of an open folder durable.
    func syncFolder(_ folder: Int32) throws(SystemCallError)
    /// Makes a folder with mode 0700, and the missing folders above it. Existing folders stay as they are.
    func makeFolders(_ path: String) throws(SystemCallError)
    /// Gives a file another name, and replaces the file that has this name.
    func rename(_ old: String, to new: String) throws(SystemCallError)
    /// Gives a file one more name. Throws `EEXIST` if a file has this name.
    func link(_ old: String, to new: String) throws(SystemCallError)
    /// Removes a name of a file.
    func unlink(_ path: String) throws(SystemCallError)
    /// Tries to lock an open file. No other open file description of the file can be locked at the same time.
    /// Returns whether the file is locked now.
    func tryLock(_ file: Int32) throws(SystemCallError) -> Bool
    /// Frees the lock of a file.
    func unlock(_ file: Int32)
    /// The time of a clock that never goes back, in nanoseconds. Each time this clock advances, the file
    /// system's clock has advanced too.
    ///
    /// On a system where ``share(_:at:words:)`` works, this clock advances in ticks of some milliseconds.
    var now: UInt64 { get }
    /// Maps the first words of the open file at this path, so that their present values are read without a
    /// system call. Returns `nil` if the system cannot map them.
    func share(_ file: Int32, at path: String, words: Int) -> SharedWords?
    /// The number of the user who must own the files.
    var user: UInt32 { get }
    /// Whether ``watch(_:notice:)`` works on this system.
    var canWatch: Bool { get }
    /// Watches the file at a path, and each file that replaces it.
    ///
    /// - Parameter notice: called on a thread of the watch. The closure gets `nil` at the start and after
    ///   each change. If a failure ends the watch, the last call gets the failure.
    func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch
}

extension KeystoreFiles {
    package func prefetch(_ paths: String...) {}

    /// Opens a folder and makes its entries durable.
    func syncFolder(_ path: String) throws(SystemCallError) {
        let folder = try openFolder(path)
        defer { close(folder) }
        try syncFolder(folder)
    }
}
