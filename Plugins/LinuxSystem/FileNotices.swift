#if os(Linux)
internal import CLinux

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Events of a file or in a folder (inotify(7)).
package struct FileEvents: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ value: some BinaryInteger) { rawValue = UInt32(truncatingIfNeeded: value) }

    /// In a folder: a file or folder was made.
    package static let created = Self(IN_CREATE)
    /// In a folder: a file was moved in from another folder, or was renamed. The notice has the new name.
    package static let movedIn = Self(IN_MOVED_TO)
    /// In a folder: a file was moved to another folder, or was renamed. The notice has the old name.
    package static let movedOut = Self(IN_MOVED_FROM)
    /// In a folder: a file or folder was removed.
    package static let removed = Self(IN_DELETE)
    /// The watched file or folder itself was removed.
    package static let selfRemoved = Self(IN_DELETE_SELF)
    /// The watched file or folder itself was renamed.
    package static let selfMoved = Self(IN_MOVE_SELF)
    /// A file was written to.
    package static let written = Self(IN_MODIFY)
    /// A file that was open for writing was closed.
    package static let closedAfterWriting = Self(IN_CLOSE_WRITE)
    /// A file was opened.
    package static let opened = Self(IN_OPEN)
    /// The permissions, the times, or the number of hard links have changed.
    package static let attributes = Self(IN_ATTRIB)
    /// Only in notices: the name belongs to a folder.
    package static let isFolder = Self(IN_ISDIR)
    /// Only in notices: the kernel dropped events.
    package static let overflow = Self(IN_Q_OVERFLOW)
    /// Only in notices: the watch has ended.
    package static let ignored = Self(IN_IGNORED)
    /// Only in notices: the file system was unmounted.
    package static let unmounted = Self(IN_UNMOUNT)
    /// A condition of a watch: the path must be a folder.
    package static let onlyFolder = Self(IN_ONLYDIR)
    /// A condition of a watch: if the path is a symbolic link, the link itself is watched.
    package static let notFollowingLinks = Self(IN_DONT_FOLLOW)
}

/// Notices of the kernel about files and folders (inotify(7)).
package final class FileNotices: Sendable {
    /// A notice about a file or folder.
    package struct Notice: Sendable, Equatable {
        /// The number that ``FileNotices/watch(_:for:)`` returned; -1 for a notice that belongs to no single
        /// watch.
        package let watch: Int32
        package let events: FileEvents
        /// The name in the folder, without padding; empty for a notice about the watched file or folder
        /// itself.
        package let name: [UInt8]

        /// Makes a notice.
        package init(watch: Int32, events: FileEvents, name: [UInt8]) {
            (self.watch, self.events, self.name) = (watch, events, name)
        }
    }

    /// The descriptor, which is readable while there are notices.
    package let descriptor: Int32

    /// Makes an instance without watches.
    ///
    /// - Throws: ``SystemCallError`` if the process or its user has reached the limit of open instances.
    package init() throws(SystemCallError) {
        descriptor = Descriptors.aboveStandard(inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)))
        guard descriptor >= 0 else { throw SystemCallError(errno: errno, call: "inotify_init1") }
    }

    deinit { close(descriptor) }

    /// Watches a file or folder from now on. If the file or folder is already watched, the new events replace
    /// the earlier events.
    ///
    /// - Returns: the number of the watch. The notices of the watch have this number.
    /// - Throws: ``SystemCallError`` if there is no such file, or if the user has reached the limit of
    ///   watches.
    package func watch(_ path: String, for events: FileEvents) throws(SystemCallError) -> Int32 {
        let watch = unsafe inotify_add_watch(descriptor, path, events.rawValue)
        guard watch >= 0 else { throw SystemCallError(errno: errno, call: "inotify_add_watch") }
        return watch
    }

    /// Ends a watch. If the watch has already ended, the call does nothing.
    package func end(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// Reads available notices, up to 16 KiB in one call. Returns an empty list if there are none.
    ///
    /// - Throws: ``SystemCallError`` if the notices cannot be read.
    package func take() throws(SystemCallError) -> [Notice] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        switch unsafe buffer.withUnsafeMutableBytes({ unsafe Descriptors.read(descriptor, into: $0) }) {
        case .bytes(let count): return Self.notices(in: buffer[..<count])
        case .nothing, .end: return []
        case .failed(let number): throw SystemCallError(errno: number, call: "read")
        }
    }

    /// Splits the kernel's records. A record has four fields of four bytes (watch, events, cookie and length
    /// of the name), and then the name.
    package static func notices(in records: ArraySlice<UInt8>) -> [Notice] {
        var found: [Notice] = []
        var rest = records
        while rest.count >= 16 {
            let words = unsafe rest.prefix(16).withUnsafeBytes { bytes in
                (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            rest = rest.dropFirst(16)
            let name = Array(rest.prefix(Int(words[3])).prefix { $0 != 0 })
            rest = rest.dropFirst(Int(words[3]))
            found.append(
                Notice(
                    watch: Int32(bitPattern: words[0]),
                    events: FileEvents(rawValue: words[1]),
                    name: name
                )
            )
        }
        return found
    }
}
#endif
