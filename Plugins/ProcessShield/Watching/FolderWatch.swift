#if os(Linux)
internal import CLinux
internal import Glibc
internal import PortcullisCore
internal import Synchronization

/// Tells when a desktop entry, or a file of a name that is looked for, comes, goes, is replaced or gets other rights.
///
/// Where the kernel gives no more watches it tells of less: the shield looks again by itself where it matters.
final class FolderWatch: Sendable {
    private struct State {
        var watched: [String: (file: FileID?, watch: Int32)] = [:]
        var names: Set<String> = []
        var isEnded = false
    }

    private let source: Int32
    private let nudges: Int32
    private let notice: @Sendable () -> Void
    private let state = Mutex(State())

    /// A watch of no folder yet; `nil` when the kernel gives no descriptors.
    init?(notice: @escaping @Sendable () -> Void) {
        source = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        nudges = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        self.notice = notice
        guard source >= 0, nudges >= 0 else {
            // One that was not opened is none to close.
            for descriptor in [source, nudges] { close(descriptor) }
            return nil
        }
        Threads.start { [self] in run() }
    }

    /// Watches these files and folders of desktop entries from now on, and no other. Neither need be there.
    ///
    /// What is in a folder that is not there yet is waited for in the next one above it.
    func look(at files: Set<String>, in folders: Set<String>) {
        var wanted: Set<String> = []
        var names: Set<String> = []
        /// The folder itself, or the lowest above it that is there.
        func nearest(_ folder: String) -> String {
            var path = folder
            while FileStatus(path: path)?.isFolder != true, !path.isEmpty {
                let (above, name) = Self.parts(of: path)
                names.insert(name)
                path = above
            }
            return path
        }
        for file in files {
            let (folder, name) = Self.parts(of: file)
            names.insert(name)
            wanted.insert(nearest(folder))
        }
        for folder in folders {
            let path = nearest(folder)
            if path == folder {
                wanted.formUnion(EntryTree.folders(below: path).map(\.path))
            } else {
                wanted.insert(path)
            }
        }
        wanted.remove("")
        state.withLock { state in
            if state.isEnded { return }
            state.names = names
            for (path, old) in state.watched where !wanted.contains(path) || FileID(path: path) != old.file {
                inotify_rm_watch(source, old.watch)
                state.watched[path] = nil
            }
            // A program is one once it may be executed, which may come after it was written.
            let events =
                UInt32(IN_CREATE) | UInt32(IN_MOVE) | UInt32(IN_DELETE) | UInt32(IN_CLOSE_WRITE)
                | UInt32(IN_ATTRIB)
            for path in wanted where state.watched[path] == nil {
                let file = FileID(path: path)
                let watch = unsafe inotify_add_watch(source, path, events | UInt32(IN_ONLYDIR))
                if watch >= 0 { state.watched[path] = (file, watch) }
            }
        }
    }

    /// Ends the thread, which closes what the watch has open.
    func end() {
        state.withLock { state in
            state.isEnded = true
            var one: UInt64 = 1
            _ = unsafe write(nudges, &one, MemoryLayout<UInt64>.size)
        }
    }

    private static func parts(of path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private func run() {
        var isChanged = false
        while true {
            var waits = [source, nudges].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // An upgrade changes many files at once: they are told of together, when it is quiet for a moment.
            let count = unsafe poll(&waits, nfds_t(waits.count), isChanged ? 20 : -1)
            if state.withLock({ $0.isEnded }) { break }
            if count == 0 {
                isChanged = false
                notice()
            } else if waits[0].revents != 0 {
                if readChanges() { isChanged = true }
            }
        }
        close(source)
        close(nudges)
    }

    /// Reads what has come; says whether anything of it may be about a program or an entry.
    private func readChanges() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe read(source, &buffer, buffer.count)
        return Self.concern(buffer.prefix(max(0, count)), state.withLock { $0.names })
    }

    /// Whether any of inotify's events is about a folder, a desktop entry or a file of these names, or says that others are
    /// lost.
    static func concern(_ events: ArraySlice<UInt8>, _ names: Set<String>) -> Bool {
        var rest = events
        // watch, mask, cookie and the length of the name that follows, four bytes each.
        while rest.count >= 16 {
            let words = unsafe rest.prefix(16).withUnsafeBytes { bytes in
                (0..<4).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
            }
            rest = rest.dropFirst(16)
            let name = String(decoding: rest.prefix(Int(words[3])).prefix { $0 != 0 }, as: UTF8.self)
            rest = rest.dropFirst(Int(words[3]))
            let special = UInt32(IN_ISDIR) | UInt32(IN_Q_OVERFLOW) | UInt32(IN_IGNORED)
            if words[1] & special != 0 || name.hasSuffix(".desktop") || names.contains(name) { return true }
        }
        return false
    }
}
#endif
