internal import LinuxSystem
internal import PortcullisCore

/// Reads and copies the unfinished tail: the bytes after the last frame that verifies. The tail may have any
/// size, so it is never in memory as a whole.
extension LogFile {
    /// Returns the offset of the tail's end. The zeros behind the tail are preallocated space and do not count.
    func tailEnd(from start: UInt64, to size: UInt64) throws(SecretStoreError) -> UInt64 {
        var end = max(start, size)
        while end > start {
            let at = end - min(end - start, UInt64(Self.chunk))
            let part = try bytes(at: at, Int(end - at))
            if let last = part.lastIndex(where: { $0 != 0 }) { return at + UInt64(last) + 1 }
            end = at
        }
        return start
    }

    /// Copies the tail into a file that has only its head so far. Parts that are all zeros are skipped, and
    /// become holes in that file.
    func copyTail(
        from start: UInt64,
        to end: UInt64,
        into file: OpenDescriptor
    ) throws(SecretStoreError) {
        var at = start
        while at < end {
            let part = try bytes(at: at, Int(min(UInt64(Self.chunk), end - at)))
            // If another program has truncated the file during the copy, no bytes are left to copy.
            if part.isEmpty { return }
            if part.contains(where: { $0 != 0 }) {
                do {
                    try unsafe part.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                        try unsafe files.write(file.number, bytes, at: Layout.tailHead + at - start)
                    }
                } catch {
                    throw .system(error, path)
                }
            }
            at += UInt64(part.count)
        }
    }
}
