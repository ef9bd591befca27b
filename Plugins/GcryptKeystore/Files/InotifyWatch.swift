#if os(Linux)
internal import CLinux
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import PortcullisCore
internal import Synchronization

/// Tells when a file was written, or another one took its place.
///
/// The file is watched for writes and its folder for what happens to its name. One thread waits for both; nothing wakes
/// it as long as nothing happens to either.
final class InotifyWatch: FileWatch {
    typealias Notice = @Sendable (SystemCallError?) -> Void

    private static let folderEvents =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    private static let fileEvents = UInt32(IN_MODIFY) | UInt32(IN_DONT_FOLLOW)
    /// The kernel dropped events, or a watch with what it was on.
    private static let lost = UInt32(IN_Q_OVERFLOW) | UInt32(IN_UNMOUNT)
    private static let folderGone = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT)

    private let place: FilePlace
    private let name: [UInt8]
    private let source: Int32
    private let nudges: Int32
    private let notice: Notice
    /// Whether the descriptors are closed, or about to be.
    private let isOver = Mutex(false)

    /// What is watched at present.
    private struct Watched {
        var folder: Int32
        var file: Int32?
    }

    /// Starts the watch. The first notice comes at once, for what happened before.
    init(_ path: String, notice: @escaping Notice) throws(SystemCallError) {
        place = FilePlace(path: path)
        name = Array(place.name.utf8)
        self.notice = notice
        let source = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard source >= 0 else { throw SystemCallError(errno: errno, call: "inotify_init1") }
        let nudges = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard nudges >= 0 else {
            let number = errno
            close(source)
            throw SystemCallError(errno: number, call: "eventfd")
        }
        (self.source, self.nudges) = (source, nudges)
        let watched: Watched
        do throws(SystemCallError) {
            var found = Watched(folder: try Self.watchFolder(place, source), file: nil)
            try Self.watchFile(place, source, &found)
            watched = found
        } catch {
            close(source)
            close(nudges)
            throw error
        }
        Threads.start { [self] in run(watched) }
    }

    func end() {
        isOver.withLock { isOver in
            if isOver { return }
            isOver = true
            var one: UInt64 = 1
            _ = unsafe write(nudges, &one, MemoryLayout<UInt64>.size)
        }
    }

    private static func watchFolder(_ place: FilePlace, _ source: Int32) throws(SystemCallError) -> Int32 {
        let watch = unsafe inotify_add_watch(source, place.folder, folderEvents)
        guard watch >= 0 else { throw SystemCallError(errno: errno, call: "inotify_add_watch") }
        return watch
    }

    /// Watches the file that has the name now, if there is one.
    private static func watchFile(
        _ place: FilePlace,
        _ source: Int32,
        _ watched: inout Watched
    ) throws(SystemCallError) {
        let watch = unsafe inotify_add_watch(source, place.path, fileEvents)
        let number = errno
        // Without a file the folder tells when one comes.
        guard watch >= 0 || number == ENOENT else {
            throw SystemCallError(errno: number, call: "inotify_add_watch")
        }
        if let old = watched.file, old != watch { inotify_rm_watch(source, old) }
        watched.file = watch >= 0 ? watch : nil
    }

    private func run(_ start: Watched) {
        var watched = start
        var failure: SystemCallError?
        notice(nil)
        while failure == nil {
            var waits = [source, nudges].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = unsafe poll(&waits, nfds_t(waits.count), -1)
            if isOver.withLock({ $0 }) { break }
            if count < 0 {
                if errno != EINTR { failure = SystemCallError(errno: errno, call: "poll") }
                continue
            }
            do throws(SystemCallError) {
                if try takeEvents(&watched) { notice(nil) }
            } catch {
                failure = error
            }
        }
        isOver.withLock { isOver in
            isOver = true
            close(source)
            close(nudges)
        }
        if let failure { notice(failure) }
    }

    /// Reads the events that are there, and watches the file that has the name by now; returns whether any
    /// event matters.
    ///
    /// A new file is watched before the change is reported, so that what is written to it after the store's
    /// look is reported too.
    private func takeEvents(_ watched: inout Watched) throws(SystemCallError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(source, &buffer, buffer.count)
        guard count > 0 else {
            if count == 0 || errno == EAGAIN || errno == EINTR { return false }
            throw SystemCallError(errno: errno, call: "read")
        }
        var (isWritten, isMoved, isFolderGone) = (false, false, false)
        var at = 0
        while at + 16 <= count {
            let watch = buffer.number(Int32.self, at: at)
            let mask = buffer.number(UInt32.self, at: at + 4)
            let size = Int(buffer.number(UInt32.self, at: at + 12))
            if mask & Self.lost != 0 { isMoved = true }
            if watch == watched.folder {
                if mask & Self.folderGone != 0 { isFolderGone = true }
                isMoved =
                    isMoved || buffer[(at + 16)..<(at + 16 + size)].prefix { $0 != 0 }.elementsEqual(name)
            } else if watch == watched.file, mask & UInt32(IN_MODIFY) != 0 {
                isWritten = true
            }
            at += 16 + size
        }
        if isFolderGone {
            let folder = try Self.watchFolder(place, source)
            if folder != watched.folder { inotify_rm_watch(source, watched.folder) }
            watched.folder = folder
        }
        if isMoved || isFolderGone { try Self.watchFile(place, source, &watched) }
        return isWritten || isMoved || isFolderGone
    }
}
#endif
