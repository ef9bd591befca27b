internal import Synchronization

/// Reads desktop entries, and remembers each version of a file until a look that does not come upon it.
///
/// One entry changes at a time, and all of a person's own can be some hundred megabytes.
final class EntryReader: Sendable {
    /// What a file says.
    struct Reading {
        /// `nil` where it is no entry of an app.
        var entry: DesktopEntry?
        var owner: UInt32 = 0

        /// About how many bytes it takes.
        fileprivate var size: Int {
            let texts = [entry?.name, entry?.exec, entry?.tryExec, entry?.folder].compactMap(\.self)
            return 512 + (texts + (entry?.categories ?? [])).reduce(0) { $0 + 32 + $1.utf8.count }
        }
    }

    /// One look at all entries, of one thread.
    final class Look {
        fileprivate var found: [FileStatus.Version: Reading] = [:]
        fileprivate var size = 0
        /// How many files were read and not remembered.
        private(set) var count = 0
        private let known: [FileStatus.Version: Reading]
        private let languages: [String]

        fileprivate init(_ known: [FileStatus.Version: Reading], _ languages: [String]) {
            self.known = known
            self.languages = languages
        }

        /// What the file at a path says. One file may have many names.
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

    /// How much is remembered, in bytes.
    static let most = 16 << 20

    private let known = Mutex<[FileStatus.Version: Reading]>([:])
    private let counted = Mutex(0)

    /// How many files were read so far.
    var count: Int { counted.withLock { $0 } }

    func look(for languages: [String]) -> Look { Look(known.withLock { $0 }, languages) }

    /// Remembers what a look has come upon, and forgets all else.
    func remember(_ look: Look) {
        known.withLock { $0 = look.found }
        counted.withLock { $0 += look.count }
    }

    /// What a file says now.
    static func reading(of path: String, _ languages: [String]) -> Reading {
        guard let (bytes, owner) = SmallFiles.ownedRegular(path, limit: DesktopEntry.most + 1),
            bytes.count <= DesktopEntry.most,
            let entry = DesktopEntry(parsing: String(decoding: bytes, as: UTF8.self), languages: languages)
        else { return Reading() }
        return Reading(entry: entry, owner: owner)
    }
}
