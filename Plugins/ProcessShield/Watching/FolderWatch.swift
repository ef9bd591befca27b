#if os(Linux)
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Reports when a desktop entry or a watched file is created, removed, replaced or gets other rights, and
/// when a file system is mounted or unmounted.
///
/// When the kernel's limit of watches is reached, some changes are not reported. Code that depends on such a
/// change checks the files itself.
final class FolderWatch: Sendable {
    private struct State {
        var watched = WatchedPaths()
        var names: Set<[UInt8]> = []
        var isEnded = false
    }

    private let notices: FileNotices
    /// Reports mounts. They need their own notices, because the watch of a folder does not report a mount
    /// over the folder. The value is `nil` if the kernel does not report mounts.
    private let mounts: MountNotices?
    private let wake: Wake
    private let notice: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a watch that does not watch any folder yet.
    ///
    /// - Parameters:
    ///   - mounts: the kernel's notices of mounts; `nil` to report none.
    ///   - notice: called after a change.
    /// - Throws: `SystemCallError` when the kernel gives no descriptors.
    init(
        mounts: MountNotices? = try? MountNotices(),
        notice: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        notices = try FileNotices()
        self.mounts = mounts
        wake = try Wake()
        self.notice = notice
        Threads.start { [self] in run() }
    }

    /// Watches exactly these files and folders of desktop entries from now on. The files and folders need not
    /// exist.
    ///
    /// In place of a missing folder the watch uses the nearest folder above it that exists. For each link on
    /// the way to a file or folder, the folder that holds the link is watched too.
    ///
    /// If the paths need more memory than a ``PathRoom`` allows, the last files in `files` are not watched.
    func look(at files: [ExactPath], in folders: [String]) {
        var ways = PathWays()
        for folder in folders { ways.add(tree: folder) }
        for file in files { ways.add(file: file.text) }
        state.withLock { state in
            if state.isEnded { return }
            state.names = ways.names
            // A file may become executable after it was written. This changes the file's attributes, so such
            // changes are watched as well.
            state.watched.keep(
                ways.folders,
                for: [
                    .created, .movedIn, .movedOut, .removed, .closedAfterWriting, .attributes, .onlyFolder,
                ],
                by: notices
            )
        }
    }

    /// Ends the thread, which closes the watch's descriptors.
    func end() {
        state.withLock { $0.isEnded = true }
        wake.raise()
    }

    private func run() {
        // An upgrade changes many files in a short time, so changes are reported together.
        var period = QuietPeriod()
        let start = ContinuousClock.now
        while true {
            var wait = DescriptorWait()
            let told = wait.add(notices.descriptor)
            let mounted = wait.add(mounts?.descriptor, .exceptional)
            wait.add(wake.descriptor)
            _ = wait.wait(atMost: period.left(at: start.duration(to: .now)))
            if state.withLock({ $0.isEnded }) { return }
            let now = start.duration(to: .now)
            let isTold = !wait[told].isEmpty && readChanges()
            // A file system that was mounted or unmounted may contain or hide any of the watched files.
            let isMounted = !wait[mounted].isEmpty && state.withLock { !$0.names.isEmpty }
            if isTold || isMounted { period.note(at: now) }
            if period.isDue(at: now) { notice() }
        }
    }

    /// Reads the waiting notices, and returns whether one may concern a program or an entry.
    private func readChanges() -> Bool {
        do throws(SystemCallError) {
            let told = try notices.take()
            let names = state.withLock { state in
                state.watched.forget(endedBy: told)
                return state.names
            }
            return Self.concern(told, names)
        } catch {
            // Notices that cannot be read may concern a program, so they count as the change of a program.
            return true
        }
    }

    /// Whether one of the notices concerns a folder, a desktop entry or a file of these names. Notices that
    /// other notices were lost, or that a watch has ended, count as well.
    static func concern(_ notices: [FileNotices.Notice], _ names: Set<[UInt8]>) -> Bool {
        let special: FileEvents = [.isFolder, .overflow, .ignored]
        return notices.contains { notice in
            !notice.events.isDisjoint(with: special) || notice.name.suffix(8).elementsEqual(".desktop".utf8)
                || names.contains(notice.name)
        }
    }
}
#endif
