#if os(Linux)
internal import CLinux

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What happens to a file or in a folder (inotify(7)).
package struct FileEvents: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ value: some BinaryInteger) { rawValue = UInt32(truncatingIfNeeded: value) }

    /// Of a folder: a name came.
    package static let created = Self(IN_CREATE)
    /// Of a folder: a name came from elsewhere.
    package static let movedIn = Self(IN_MOVED_TO)
    /// Of a folder: a name went elsewhere.
    package static let movedOut = Self(IN_MOVED_FROM)
    /// Of a folder: a name went.
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
    /// Rights, times, or the number of names changed.
    package static let attributes = Self(IN_ATTRIB)
    /// Found only: the name is a folder's.
    package static let isFolder = Self(IN_ISDIR)
    /// Found only: the kernel dropped events.
    package static let overflow = Self(IN_Q_OVERFLOW)
    /// Found only: the watch is gone.
    package static let ignored = Self(IN_IGNORED)
    /// Found only: the file system is gone.
    package static let unmounted = Self(IN_UNMOUNT)
    /// A condition: what is watched has to be a folder.
    package static let onlyFolder = Self(IN_ONLYDIR)
    /// A condition: a symbolic link is watched itself.
    package static let notFollowingLinks = Self(IN_DONT_FOLLOW)
}

/// Notices of the kernel about files and folders (inotify(7)).
package final class FileNotices: Sendable {
    /// One notice.
    package struct Notice: Sendable, Equatable {
        /// What ``FileNotices/watch(_:for:)`` returned; -1 where the notice is of no one watch.
        package let watch: Int32
        package let events: FileEvents
        /// The name in the folder, without padding; empty where the notice is of what is watched itself.
        package let name: [UInt8]

        /// A notice.
        package init(watch: Int32, events: FileEvents, name: [UInt8]) {
            (self.watch, self.events, self.name) = (watch, events, name)
        }
    }

    /// Readable while there are notices.
    package let descriptor: Int32

    /// Notices about nothing yet.
    ///
    /// - Throws: ``SystemCallError`` where the process, or its user, may open no more.
    package init() throws(SystemCallError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemCallError(errno: errno, call: "inotify_init1") }
    }

    deinit { close(descriptor) }

    /// Watches a file or folder from now on; one that is watched already, for these events only.
    ///
    /// - Returns: the watch, which tells notices apart.
    /// - Throws: ``SystemCallError`` where there is nothing, or the user may watch no more.
    package func watch(_ path: String, for events: FileEvents) throws(SystemCallError) -> Int32 {
        let watch = unsafe inotify_add_watch(descriptor, path, events.rawValue)
        guard watch >= 0 else { throw SystemCallError(errno: errno, call: "inotify_add_watch") }
        return watch
    }

    /// Ends a watch; one that is gone already is none.
    package func end(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// The notices that are there now; empty for none.
    ///
    /// - Throws: ``SystemCallError`` where they cannot be read.
    package func take() throws(SystemCallError) -> [Notice] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        switch unsafe buffer.withUnsafeMutableBytes({ unsafe Descriptors.read(descriptor, into: $0) }) {
        case .bytes(let count): return Self.notices(in: buffer[..<count])
        case .nothing, .end: return []
        case .failed(let number): throw SystemCallError(errno: number, call: "read")
        }
    }

    /// Takes the kernel's records apart: watch, events, cookie and the length of the name that follows, four bytes each.
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
