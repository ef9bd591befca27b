#if os(Linux)
/// The folders in which a change can lead paths to other files: the folder of each file, and the folder of each
/// link on the way to it.
///
/// In place of a missing folder, the nearest folder above it that exists is in the set.
struct PathWays {
    private(set) var folders: Set<ExactPath> = []
    /// The names in these folders on which the paths depend.
    private(set) var names: Set<[UInt8]> = []

    // Many paths have folders in common, so each place is looked at once.
    private var places: [ExactPath: Place] = [:]

    private enum Place {
        case folder, other
        case link(String)
    }

    /// The kernel follows at most this number of links on the way to a file.
    private static let mostLinks = 40
    /// The kernel takes only paths that have fewer bytes.
    private static let longestPath = 4_096

    /// Adds the way to a file, and the folder of the file.
    mutating func add(file: String) {
        if let (_, folder, name) = follow(file) { note(name, in: folder) }
    }

    /// Adds the way to a folder of desktop entries, and the folders below it.
    mutating func add(tree: String) {
        guard let (top, folder, name) = follow(tree) else { return }
        guard case .folder = look(at: top) else { return note(name, in: folder) }
        for folder in EntryTree.folders(below: top) {
            folders.insert(ExactPath(folder.path))
            // A folder of entries may be a link, which may be switched too.
            if let name = Self.names(in: folder.path)?.first { names.insert(Array(name.utf8)) }
        }
    }

    /// Adds each link on the way to a path.
    ///
    /// - Returns: the place that the path leads to, with the folder that holds this place and the name in the
    ///   folder; `nil` if a folder on the way is missing, or if the path is too long.
    private mutating func follow(_ path: String) -> (place: String, folder: String, name: String)? {
        guard var rest = Self.names(in: path) else { return nil }
        var place = Self.isWhole(path) ? "/" : "."
        var last = (place: place, folder: place, name: "")
        var links = 0
        while let name = rest.popLast() {
            let folder = place
            place = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
            last = (place, folder, name)
            switch look(at: place) {
            case .folder: continue
            case .other:
                if rest.isEmpty { return last }
                note(name, in: folder)
                return nil
            case .link(let target):
                note(name, in: folder)
                links += 1
                guard links <= Self.mostLinks, let names = Self.names(in: target) else { return nil }
                place = Self.isWhole(target) ? "/" : folder
                rest += names
            }
        }
        return last
    }

    private mutating func note(_ name: String, in folder: String) {
        folders.insert(ExactPath(folder))
        names.insert(Array(name.utf8))
    }

    private mutating func look(at path: String) -> Place {
        let key = ExactPath(path)
        if let known = places[key] { return known }
        let isFolder = FileStatus(path: path)?.isFolder == true
        let place = SmallFiles.link(path).map(Place.link) ?? (isFolder ? .folder : .other)
        places[key] = place
        return place
    }

    private static func isWhole(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// The names in a path, with the first name at the end; `nil` if the path is too long for the kernel.
    ///
    /// The path is split by bytes, because a name may begin with an accent, which Swift joins with the slash.
    private static func names(in path: String) -> [String]? {
        if path.utf8.count >= longestPath { return nil }
        return path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
            .filter { $0 != "." }
    }
}
#endif
