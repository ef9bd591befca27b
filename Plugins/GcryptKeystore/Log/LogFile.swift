internal import LinuxSystem
internal import PortcullisCore

/// An open keystore file with the keys of its frames.
final class LogFile: Sendable {
    let files: any KeystoreFiles
    let path: String
    let descriptor: OpenDescriptor
    let keys: FrameKeys
    /// The file's identity. No other file has the same identity while this file is open.
    private let identity: FileIdentity

    init(
        _ files: any KeystoreFiles,
        _ path: String,
        _ descriptor: OpenDescriptor,
        _ identity: FileIdentity,
        _ keys: FrameKeys
    ) {
        self.files = files
        self.path = path
        self.descriptor = descriptor
        self.identity = identity
        self.keys = keys
    }

    /// The status of the file, if the file is still at the store's path; `nil` if it is not.
    ///
    /// The number of hard links does not show whether the file is still there. When a new file replaces this
    /// file at the path, this file may keep another hard link.
    func statusInPlace() throws(SecretStoreError) -> FileStatus? {
        do {
            let found = try files.status(at: path)
            return found?.identity == identity ? found : nil
        } catch {
            throw .system(error, path)
        }
    }

    func status() throws(SecretStoreError) -> FileStatus {
        do { return try files.status(of: descriptor.number) } catch { throw .system(error, path) }
    }

    func datedStatus() throws(SecretStoreError) -> FileStatus {
        do { return try files.datedStatus(of: descriptor.number) } catch { throw .system(error, path) }
    }

    func bytes(at offset: UInt64, _ count: Int) throws(SecretStoreError) -> [UInt8] {
        try Self.bytes(files, descriptor, path, at: offset, count)
    }

    static func bytes(
        _ files: any KeystoreFiles,
        _ descriptor: OpenDescriptor,
        _ path: String,
        at offset: UInt64,
        _ count: Int
    ) throws(SecretStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        do {
            var span = bytes.mutableSpan
            var raw = unsafe span.mutableBytes
            let read = try unsafe raw.withUnsafeMutableBytes { (buffer) throws(SystemCallError) in
                try unsafe files.read(descriptor.number, into: buffer, at: offset)
            }
            bytes.removeLast(count - read)
        } catch {
            throw .system(error, path)
        }
        return bytes
    }
}

/// The position up to which a log was read, with the state of the log there.
struct Cursor: Sendable {
    /// The end of the last frame that verified.
    var end: UInt64 = Layout.firstFrame
    /// The sequence number that the next frame must have.
    var sequence: UInt64
    var lastTag = [UInt8](repeating: 0, count: 16)
    var lastVersion: UInt64 = 0
    /// The content of the last header record.
    var header: (generation: UInt64, mac: [UInt8])?
    var frames = 0

    /// Throws if the next frame's sequence number is above the limit. Every reader would refuse that frame.
    func demandCounted(_ path: String) throws(SecretStoreError) {
        guard sequence.isCounted else { throw .damaged("the file's frames cannot be counted on", path) }
    }

    /// Whether the versions or the sequence numbers are used up, so that no further change can be written.
    var isUsedUp: Bool { lastVersion >= .largestCounted || !sequence.isCounted }
}

/// The kinds of content after the last frame that verified.
enum LogEnding: Sendable, Equatable {
    case clean
    case unfinishedTail
    case damage(String)
}
