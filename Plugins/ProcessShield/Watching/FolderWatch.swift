#if os(Linux)
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Reports when a desktop entry or an awaited file is created, removed, replaced or gets other rights.
///
/// When the kernel's limit of watches is reached, some changes are not reported. Code that depends on such a
/// change checks the files itself.
final class FolderWatch: Sendable {
    private struct State {
        var watched: [String: (file: FileID?, watch: Int32)] = [:]
        var names: Set<String> = []
        var isEnded = false
    }

    private let notices: FileNotices
    private let wake: Wake
    private let notice: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a watch that does not watch any folder yet.
    ///
    /// - Throws: `SystemCallError` when the kernel gives no descriptors.
    init(notice: @escaping @Sendable () -> Void) throws(SystemCallError) {
        notices = try FileNotices()
        wake = try Wake()
        self.notice = notice
        Threads.start { [self] in run() }
    }

    /// Watches exactly these files and folders of desktop entries from now on. The files and folders need not
    /// exist.
    ///
    /// In place of a missing folder the watch uses the nearest folder above it that exists.
    func look(at files: Set<String>, in folders: Set<String>) {
        var wanted: Set<String> = []
        var names: Set<String> = []
        /// The folder itself, or the nearest folder above it that exists.
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
                notices.end(old.watch)
                state.watched[path] = nil
            }
            // A file may become executable after it was written. This changes the file's attributes, so such
            // changes are watched as well.
            let events: FileEvents = [
                .created, .movedIn, .movedOut, .removed, .closedAfterWriting, .attributes, .onlyFolder,
            ]
            for path in wanted where state.watched[path] == nil {
                let file = FileID(path: path)
                do throws(SystemCallError) {
                    state.watched[path] = (file, try notices.watch(path, for: events))
                } catch {
                    // If the folder was removed meanwhile, or the kernel gives no more watches, changes in the folder
                    // are not reported.
                }
            }
        }
    }

    /// Ends the thread, which closes the watch's descriptors.
    func end() {
        state.withLock { $0.isEnded = true }
        wake.raise()
    }

    private static func parts(of path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private func run() {
        // An upgrade changes many files in a short time, so changes are reported together.
        var period = QuietPeriod()
        let start = ContinuousClock.now
        while true {
            var wait = DescriptorWait()
            let told = wait.add(notices.descriptor)
            wait.add(wake.descriptor)
            let ending = wait.wait(atMost: period.left(at: start.duration(to: .now)))
            if state.withLock({ $0.isEnded }) { return }
            let now = start.duration(to: .now)
            if ending == .ready, !wait[told].isEmpty, readChanges() { period.note(at: now) }
            if period.isDue(at: now) { notice() }
        }
    }

    /// Reads the waiting notices, and returns whether one may concern a program or an entry.
    private func readChanges() -> Bool {
        let names = state.withLock { $0.names }
        do throws(SystemCallError) {
            return Self.concern(try notices.take(), names)
        } catch {
            // Notices that cannot be read may concern a program, so they count as the change of a program.
            return true
        }
    }

    /// Whether a notice concerns a folder, a desktop entry or a file of these names, or says that notices
    /// were lost.
    static func concern(_ notices: [FileNotices.Notice], _ names: Set<String>) -> Bool {
        let special: FileEvents = [.isFolder, .overflow, .ignored]
        return notices.contains { notice in
            let name = String(decoding: notice.name, as: UTF8.self)
            return !notice.events.isDisjoint(with: special) || name.hasSuffix(".desktop")
                || names.contains(name)
        }
    }
}
#endif
