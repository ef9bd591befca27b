#if os(Linux)
internal import LinuxSystem

/// The paths whose files or folders the kernel watches.
struct WatchedPaths {
    private var watches: [ExactPath: (file: FileID?, watch: Int32)] = [:]

    /// Watches exactly these paths from now on. If a path leads to another file by now, the old watch ends
    /// and the path gets a new watch.
    ///
    /// A path is left out if there is no such file, or if the kernel gives no more watches.
    mutating func keep(_ wanted: Set<ExactPath>, for events: FileEvents, by notices: FileNotices) {
        let old = watches.filter { path, held in
            !wanted.contains(path) || FileID(path: path.text) != held.file
        }
        let ended = Set(old.values.map(\.watch))
        for watch in ended { notices.end(watch) }
        remove(ended)
        for path in wanted where watches[path] == nil {
            let file = FileID(path: path.text)
            if let watch = try? notices.watch(path.text, for: events) { watches[path] = (file, watch) }
        }
    }

    /// Forgets the watches that the kernel has ended, for instance because the file system was unmounted. The
    /// same file may come back at its path, and then needs a new watch.
    mutating func forget(endedBy notices: [FileNotices.Notice]) {
        remove(Set(notices.lazy.filter { $0.events.contains(.ignored) }.map(\.watch)))
    }

    /// Whether all of these paths are watched.
    func holds(_ paths: Set<ExactPath>) -> Bool { paths.allSatisfy { watches[$0] != nil } }

    // Several paths may lead to one file. They have one watch in common, and lose it together.
    private mutating func remove(_ ended: Set<Int32>) {
        if ended.isEmpty { return }
        watches = watches.filter { !ended.contains($0.value.watch) }
    }
}
#endif
