import Foundation
import GcryptKeystore

/// Files and the names they have.
struct DiskImage: Sendable, Hashable {
    static let folder = "/disk"

    var files: [Int: [UInt8]] = [0: []]
    var folders: Set<Int> = [0]
    var names: [String: Int] = [folder: 0]

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// The bytes under a name.
    subscript(path: String) -> [UInt8]? {
        get { names[path].flatMap { files[$0] } }
        set {
            let file = names[path] ?? (files.keys.max() ?? 0) + 1
            names[path] = newValue == nil ? nil : file
            files[file] = newValue
        }
    }

    func status(_ file: Int, _ user: UInt32) -> FileStatus {
        let isFolder = folders.contains(file)
        return FileStatus(
            kind: isFolder ? .folder : .regular,
            size: UInt64(files[file]?.count ?? 0),
            links: UInt64(names.values.count { $0 == file }),
            owner: user,
            mode: isFolder ? 0o700 : 0o600,
            identity: FileIdentity(device: 1, number: UInt64(file)),
            changed: 0
        )
    }

    mutating func apply(_ change: DiskChange) {
        switch change {
        case .write(let file, let offset, let bytes):
            var content = files[file] ?? []
            if content.count < offset + bytes.count {
                content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
            }
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            files[file] = content
        case .truncate(let file, let size):
            let content = files[file] ?? []
            files[file] =
                Array(content.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - content.count))
        case .name(let name, let file):
            names[name] = file
            if let file, files[file] == nil { files[file] = [] }
        case .rename(let old, let new, let file):
            if names[old] == file { names[old] = nil }
            names[new] = file
            if files[file] == nil { files[file] = [] }
        case .sync, .failedSync, .syncFolder, .mark: break
        }
    }
}

/// What can happen to a disk.
enum DiskChange: Sendable {
    case write(Int, Int, [UInt8])
    case truncate(Int, Int)
    case name(String, Int?)
    case rename(String, String, Int)
    case sync(Int)
    /// The system took the changes for written, and no later sync writes them.
    case failedSync(Int)
    case syncFolder(String)
    /// A note of the test's, such as "this was acknowledged".
    case mark(Int)

    var file: Int? {
        switch self {
        case .write(let file, _, _), .truncate(let file, _): file
        default: nil
        }
    }

    /// The folder whose sync makes it durable.
    var folder: String? {
        switch self {
        case .name(let name, _), .rename(_, let name, _): DiskImage.folder(of: name)
        default: nil
        }
    }

    private static let sector = 512

    /// A write as the sectors that reach the disk each by itself.
    var pieces: [DiskChange] {
        guard case .write(let file, let offset, let bytes) = self else { return [self] }
        var pieces: [DiskChange] = []
        var at = 0
        while at < bytes.count {
            let step = min(Self.sector - (offset + at) % Self.sector, bytes.count - at)
            pieces.append(.write(file, offset + at, Array(bytes[at..<at + step])))
            at += step
        }
        return pieces
    }

    /// The sector that a piece writes.
    var place: [Int]? {
        guard case .write(let file, let offset, _) = self else { return nil }
        return [file, offset / Self.sector]
    }
}

/// What happened to a disk, in order.
struct DiskLog: Sendable {
    var start: DiskImage
    var changes: [DiskChange] = []

    /// What a power failure at one point leaves: what is on disk for sure, and what may be.
    struct Crash: Sendable {
        var durable: DiskImage
        var pending: [DiskChange]

        /// The disk with some of what was pending.
        func image(keeping isKept: [Bool]) -> DiskImage {
            var image = durable
            for (change, isKept) in zip(pending, isKept) where isKept { image.apply(change) }
            return image
        }
    }

    /// The crashes after each change, in order; the first one is before any.
    func crashes() -> [Crash] {
        var now = Crash(durable: start, pending: [])
        // Those of a failed sync: they may be on disk, but nothing that comes later puts them there.
        var lost: [DiskChange] = []
        var all = [now]
        func settle(_ isMeant: (DiskChange) -> Bool) {
            for change in now.pending where isMeant(change) {
                now.durable.apply(change)
                lost.removeAll { $0.place != nil && $0.place == change.place }
            }
            now.pending.removeAll(where: isMeant)
        }
        for change in changes {
            switch change {
            case .sync(let file): settle { $0.file == file }
            case .syncFolder(let folder): settle { $0.folder == folder }
            case .failedSync(let file):
                lost += now.pending.filter { $0.file == file }
                now.pending.removeAll { $0.file == file }
            case .mark: break
            default: now.pending += change.pieces
            }
            all.append(Crash(durable: now.durable, pending: lost + now.pending))
        }
        return all
    }
}
