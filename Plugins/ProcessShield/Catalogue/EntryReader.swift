internal import Synchronization

/// Reads desktop entries, and caches the contents of the files that the latest pass over all entries found.
///
/// Few entries change between two passes, so the cache saves most of the reading. The entries of one person
/// can add up to several hundred megabytes. Without the cache, each pass could read that much.
final class EntryReader: Sendable {
    /// The content of a file.
    struct Reading {
        /// The desktop entry; `nil` if the file is no entry of an app.
        var entry: DesktopEntry?
        var owner: UInt32 = 0

        /// The approximate size in memory, in bytes.
        fileprivate var size: Int {
            let texts = [entry?.name, entry?.exec, entry?.tryExec, entry?.folder].compactMap(\.self)
            return 512 + (texts + (entry?.categories ?? [])).reduce(0) { $0 + 32 + $1.utf8.count }
        }
    }

    /// One pass over all entries, made by one thread.
    final class Look {
        fileprivate var found: [FileStatus.Version: Reading] = [:]
        fileprivate var size = 0
        /// The number of files that were read in this pass because their contents were not cached.
        private(set) var count = 0
        private let known: [FileStatus.Version: Reading]
        private let languages: [String]

        fileprivate init(_ known: [FileStatus.Version: Reading], _ languages: [String]) {
            self.known = known
            self.languages = languages
        }

        /// Returns the content of the file at a path. A file with several names is read once.
        func read(_ path: String, _ version: FileStatus.Version) -> Reading {
            if let reading = found[version] { return reading }
            let reading = known[version] ?? fresh(path)
            if size + reading.size <= EntryReader.most {
                found[version] = reading
                size += reading.size
            }
            return reading
        }

        private func fresh(_ path: String) -> Reading {
            count += 1
            return EntryReader.reading(of: path, languages)
        }
    }

    /// The largest total size of the cached contents, in bytes.
    static let most = 16 << 20

    private let known = Mutex<[FileStatus.Version: Reading]>([:])
    private let counted = Mutex(0)

    /// The number of files that were read so far.
    var count: Int { counted.withLock { $0 } }

    func look(for languages: [String]) -> Look { Look(known.withLock { $0 }, languages) }

    /// Caches the contents that a pass found, and drops all others.
    func remember(_ look: Look) {
        known.withLock { $0 = look.found }
        counted.withLock { $0 += look.count }
    }

    /// Reads the current content of a file.
    static func reading(of path: String, _ languages: [String]) -> Reading {
        guard let (bytes, owner) = SmallFiles.ownedRegular(path, limit: DesktopEntry.most + 1),
            bytes.count <= DesktopEntry.most,
            let entry = DesktopEntry(parsing: String(decoding: bytes, as: UTF8.self), languages: languages)
        else { return Reading() }
        return Reading(entry: entry, owner: owner)
    }
}
