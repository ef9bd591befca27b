internal import Synchronization

/// Tells scripts from other programs by their first bytes.
///
/// It remembers each version of a file: opening one that is behind a gate is a question to every process that has it
/// behind its own.
final class ScriptReader: Sendable {
    /// What a file is.
    enum Reading: Hashable, Sendable {
        /// A script that starts with this text.
        case script(String)
        case program
        case unreadable
    }

    private let known = Mutex<[String: (version: FileStatus.Version, reading: Reading)]>([:])

    /// What the file at a path without links is.
    func read(_ path: String) -> Reading {
        guard let version = FileStatus(path: path)?.version else { return .unreadable }
        if let known = known.withLock({ $0[path] }), known.version == version { return known.reading }
        guard let start = SmallFiles.read(path, limit: 16_384) else { return .unreadable }
        let isScript = start.starts(with: Array("#!".utf8))
        let reading = isScript ? Reading.script(String(decoding: start, as: UTF8.self)) : .program
        known.withLock { $0[path] = (version, reading) }
        return reading
    }
}
