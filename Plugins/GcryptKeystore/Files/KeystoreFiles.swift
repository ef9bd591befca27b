package import LinuxSystem

/// What tells a file from all others that there are.
package struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64

    /// The file with this number on this device.
    package init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }
}

/// What `fstat` and `lstat` say, as far as it matters here.
package struct FileStatus: Sendable, Equatable {
    /// The kinds of file that are told apart.
    package enum Kind: Sendable { case regular, folder, link, other }
    /// What it is.
    package var kind: Kind
    /// Its size in bytes.
    package var size: UInt64
    /// How many names it has; 0 after it was replaced.
    package var links: UInt64
    /// The user it belongs to.
    package var owner: UInt32
    /// The permission bits.
    package var mode: UInt32
    /// Which file it is.
    package var identity: FileIdentity
    /// When it was last written, renamed or linked, in nanoseconds; `nil` where that was not asked for.
    package var changed: UInt64?

    /// A status of these parts.
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

/// How a file is opened.
package enum OpenMode: Sendable {
    /// For reading only; it must be there.
    case read
    /// For reading and writing; it must be there.
    case readWrite
    /// For reading and writing, made with mode 0600 if it is not there.
    case createIfMissing
    /// Made with mode 0600; it must not be there.
    case createNew
}

/// All access of the keystore to files: the one place where faults can come from, or be injected.
///
/// Links are never followed at the last part of a path. Offsets are always explicit. Calls block.
package protocol KeystoreFiles: Sendable {
    /// Opens a file, closed on `exec`.
    func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32
    /// Closes a file.
    func close(_ file: Int32)
    /// What the open file is, but for its time.
    func status(of file: Int32) throws(SystemCallError) -> FileStatus
    /// What the open file is, and when it was changed.
    ///
    /// Only where the time is needed: on some systems asking for it makes the next write dearer, which then
    /// has to bring a finer time to disk.
    func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus
    /// What lies at the path, links not followed, but for its time; `nil` when there is nothing.
    func status(at path: String) throws(SystemCallError) -> FileStatus?
    /// Reads up to the buffer's size; less only at the end of the file.
    @unsafe
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
        throws(SystemCallError) -> Int
    /// Writes the whole buffer.
    @unsafe
    func write(_ file: Int32, _ buffer: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemCallError)
    /// Cuts a file to a size.
    func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError)
    /// Makes a file's data durable.
    func syncData(_ file: Int32) throws(SystemCallError)
    /// Makes a folder's entries durable.
    func syncFolder(_ path: String) throws(SystemCallError)
    /// Makes a folder with mode 0700, and those above it; existing ones are left as they are.
    func makeFolders(_ path: String) throws(SystemCallError)
    /// Gives a file another name, over whatever has it.
    func rename(_ old: String, to new: String) throws(SystemCallError)
    /// Gives a file one more name; fails where something has that name.
    func link(_ old: String, to new: String) throws(SystemCallError)
    /// Takes a name away.
    func unlink(_ path: String) throws(SystemCallError)
    /// Tries to lock a file against others' opens of it; returns whether it worked.
    func tryLock(_ file: Int32) throws(SystemCallError) -> Bool
    /// Gives the lock back.
    func unlock(_ file: Int32)
    /// A time that never goes back, in nanoseconds. When it has advanced, so has the clock that files get
    /// their times from.
    ///
    /// In ticks of some milliseconds where words can be shared.
    var now: UInt64 { get }
    /// The first words of an open file, which lies at this path, as they are at any moment, to be looked at without a call;
    /// `nil` where there is no such way.
    func share(_ file: Int32, at path: String, words: Int) -> SharedWords?
    /// The user that files must belong to.
    var user: UInt32 { get }
    /// Whether ``watch(_:notice:)`` works on this system.
    var canWatch: Bool { get }
    /// Watches the file at a path, and what other file takes its place.
    ///
    /// - Parameter notice: called on a thread of the watch: once at its start, then after each change, with `nil`; and a
    ///   last time with the failure that ended the watch.
    func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch
}
