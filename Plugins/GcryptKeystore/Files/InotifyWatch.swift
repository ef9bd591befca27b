#if os(Linux)
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Reports when a file was written, or when another file took its name.
///
/// The file is watched for writes, and its folder for changes of the file's name. One thread waits for the
/// events of the file and of the folder, and sleeps while there are none.
final class InotifyWatch: FileWatch {
    typealias Notice = @Sendable (SystemCallError?) -> Void

    private static let folderEvents: FileEvents = [
        .created, .movedIn, .movedOut, .removed, .selfRemoved, .selfMoved, .onlyFolder,
    ]
    private static let fileEvents: FileEvents = [.written, .notFollowingLinks]
    /// Events which mean that other events may be missing: the kernel dropped events, or it ended a watch
    /// because a file system was unmounted.
    private static let lost: FileEvents = [.overflow, .unmounted]
    private static let folderGone: FileEvents = [.selfRemoved, .selfMoved, .unmounted]

    private let place: FilePlace
    private let name: [UInt8]
    private let notices: FileNotices
    private let wake: Wake
    private let notice: Notice
    private let isOver = Mutex(false)

    /// The inotify watch descriptors of the folder and of the file; `nil` for a file that is not watched.
    private struct Watched {
        var folder: Int32
        var file: Int32?
    }

    /// Starts the watch. The first notice is sent at once, and covers all earlier changes.
    init(_ path: String, notice: @escaping Notice) throws(SystemCallError) {
        place = FilePlace(path: path)
        name = Array(place.name.utf8)
        self.notice = notice
        notices = try FileNotices()
        wake = try Wake()
        var watched = Watched(folder: try notices.watch(place.folder, for: Self.folderEvents), file: nil)
        try watchFile(&watched)
        do throws(ThreadRefusal) { try Threads.startAtOnce { [self, watched] in run(watched) } } catch {
            throw SystemCallError(error)
        }
    }

    func end() {
        isOver.withLock { $0 = true }
        wake.raise()
    }

    /// Watches the file that is at the watched path now, if there is one.
    private func watchFile(_ watched: inout Watched) throws(SystemCallError) {
        var watch: Int32?
        do throws(SystemCallError) {
            watch = try notices.watch(place.path, for: Self.fileEvents)
        } catch {
            // If the file is missing, the watch of the folder reports when a file appears at the path.
            guard error.isMissing else { throw error }
        }
        if let old = watched.file, old != watch { notices.end(old) }
        watched.file = watch
    }

    private func run(_ start: Watched) {
        var watched = start
        var failure: SystemCallError?
        notice(nil)
        while failure == nil {
            var wait = DescriptorWait()
            wait.add(notices.descriptor)
            wait.add(wake.descriptor)
            _ = wait.wait()
            if isOver.withLock({ $0 }) { break }
            do throws(SystemCallError) {
                if try takeEvents(&watched) { notice(nil) }
            } catch {
                failure = error
            }
        }
        if let failure { notice(failure) }
    }

    /// Reads the pending events and watches the file that now has the name. Returns whether a notice must be
    /// sent.
    ///
    /// A new file is watched before it is reported. So if a write comes after the store's first read of the
    /// file, the write is reported too.
    private func takeEvents(_ watched: inout Watched) throws(SystemCallError) -> Bool {
        var (isWritten, isMoved, isFolderGone) = (false, false, false)
        for notice in try notices.take() {
            if !notice.events.isDisjoint(with: Self.lost) { isMoved = true }
            if notice.watch == watched.folder {
                if !notice.events.isDisjoint(with: Self.folderGone) { isFolderGone = true }
                isMoved = isMoved || notice.name == name
            } else if notice.watch == watched.file, notice.events.contains(.written) {
                isWritten = true
            }
        }
        if isFolderGone {
            let folder = try notices.watch(place.folder, for: Self.folderEvents)
            if folder != watched.folder { notices.end(watched.folder) }
            watched.folder = folder
        }
        if isMoved || isFolderGone { try watchFile(&watched) }
        return isWritten || isMoved || isFolderGone
    }
}
#endif
