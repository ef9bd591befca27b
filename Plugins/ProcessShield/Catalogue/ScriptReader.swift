#if os(Linux)
internal import Dispatch
#endif
internal import PortcullisCore
internal import Synchronization

/// Distinguishes scripts from other programs by their first bytes.
///
/// Each version of a file is read once, and the result is cached. When a file is behind the gates of several
/// processes, the kernel lets it be opened only after each of these processes has answered. If such a process
/// hangs, the opening thread hangs as well. So each file is opened on a thread of its own, and the caller
/// waits for a limited time.
final class ScriptReader: Sendable {
    /// The kind of a file.
    enum Reading: Hashable, Sendable {
        /// A script that starts with this text.
        case script(String)
        case program
        /// A file that is no script and no program. The kernel does not run such a file by itself.
        case data
        /// An ``AppImage``.
        case image
        case unreadable
    }

    private struct Known {
        var version: FileStatus.Version
        /// The kind of the file; `nil` while the file is being read.
        var reading: Reading?
    }

    private let known = Mutex<[String: Known]>([:])
    /// How long a caller waits for a file, in milliseconds.
    private let limit: Int

    /// Returns a file's first bytes; `nil` when the file cannot be read.
    private let open: @Sendable (String) -> [UInt8]?

    /// The limit of cached files. A limit is needed because a person may write any number of scripts.
    static let mostKnown = 512
    /// The number of files that are cached now.
    var count: Int { known.withLock { $0.count } }

    /// How many bytes of a file are read at most.
    static let most = 16_384

    init(
        limit: Int = 1_000,
        open: @escaping @Sendable (String) -> [UInt8]? = { SmallFiles.readRegular($0, limit: most) }
    ) {
        self.limit = limit
        self.open = open
    }

    /// Returns the kind of the file at a path whose links are resolved.
    func read(_ path: String) -> Reading {
        guard let version = FileStatus(path: path)?.version else { return .unreadable }
        let isKnown = known.withLock { known in
            if known[path]?.version == version { return true }
            if known[path] == nil, known.count >= Self.mostKnown {
                // An arbitrary file is dropped from the cache instead of the oldest one. Suppose that more
                // files than the limit are read over and over in the same order. Then the oldest file in the
                // cache is always the file that is needed next.
                guard let other = known.first(where: { $0.value.reading != nil }) else { return true }
                known[other.key] = nil
            }
            known[path] = Known(version: version)
            return false
        }
        if !isKnown { find(path, version) }
        return known.withLock { $0[path]?.reading } ?? .unreadable
    }

    private func find(_ path: String, _ version: FileStatus.Version) {
        #if os(Linux)
        let done = DispatchSemaphore(value: 0)
        Threads.start { [self] in
            note(reading(of: path), path, version)
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(limit))
        #else
        note(reading(of: path), path, version)
        #endif
    }

    private func note(_ reading: Reading, _ path: String, _ version: FileStatus.Version) {
        known.withLock { known in
            guard known[path]?.version == version else { return }
            // The result for an unreadable file is not cached, since a later opening may be allowed.
            known[path] = reading == .unreadable ? nil : Known(version: version, reading: reading)
        }
    }

    private func reading(of path: String) -> Reading {
        guard let start = open(path) else { return .unreadable }
        if AppImage.starts(with: start) { return .image }
        if start.starts(with: Array("#!".utf8)) { return .script(String(decoding: start, as: UTF8.self)) }
        // An ELF file starts with these four bytes (System V ABI, "ELF Identification").
        return start.starts(with: [0x7F] + "ELF".utf8) ? .program : .data
    }
}
