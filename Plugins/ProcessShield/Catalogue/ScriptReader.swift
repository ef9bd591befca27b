#if os(Linux)
internal import Dispatch
#endif
internal import PortcullisCore
internal import Synchronization

/// Tells scripts from other programs by their first bytes.
///
/// It remembers each version of a file: opening one that is behind a gate is a question to every process that has it
/// behind its own. One of those may hang, and the asker with it: so files are opened on a thread of their own, which is
/// not waited for without end.
final class ScriptReader: Sendable {
    /// What a file is.
    enum Reading: Hashable, Sendable {
        /// A script that starts with this text.
        case script(String)
        case program
        /// Neither: nothing that the kernel runs by itself.
        case data
        /// An ``AppImage``.
        case image
        case unreadable
    }

    private struct Known {
        var version: FileStatus.Version
        /// `nil` while it is being found out.
        var reading: Reading?
    }

    private let known = Mutex<[String: Known]>([:])
    /// How long to wait for a file, in milliseconds.
    private let limit: Int

    /// Gives a file's first bytes; `nil` when it cannot be read.
    private let open: @Sendable (String) -> [UInt8]?

    /// How many files are remembered: a person may write any number of scripts.
    static let mostKnown = 512
    /// How many files are remembered now.
    var count: Int { known.withLock { $0.count } }

    /// How much of a file is read.
    static let most = 16_384

    init(
        limit: Int = 1_000,
        open: @escaping @Sendable (String) -> [UInt8]? = { SmallFiles.readRegular($0, limit: most) }
    ) {
        self.limit = limit
        self.open = open
    }

    /// What the file at a path without links is.
    func read(_ path: String) -> Reading {
        guard let version = FileStatus(path: path)?.version else { return .unreadable }
        let isKnown = known.withLock { known in
            if known[path]?.version == version { return true }
            if known[path] == nil, known.count >= Self.mostKnown {
                // Any one: of a sequence that is longer the oldest would be the one that is asked for next.
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
            // What was denied may be allowed the next time.
            known[path] = reading == .unreadable ? nil : Known(version: version, reading: reading)
        }
    }

    private func reading(of path: String) -> Reading {
        guard let start = open(path) else { return .unreadable }
        if AppImage.starts(with: start) { return .image }
        if start.starts(with: Array("#!".utf8)) { return .script(String(decoding: start, as: UTF8.self)) }
        // ELF, "ELF Identification".
        return start.starts(with: [0x7F] + "ELF".utf8) ? .program : .data
    }
}
