#if os(Linux)
/// The folders in which a change can make some paths lead to other files. These are the folder of each path's
/// file, and the folder of each symbolic link that the path contains.
///
/// In place of a missing folder, the set contains the nearest folder above it that exists.
///
/// The way of a path is the sequence of names that the kernel looks up for the path, with the names in the
/// targets of links. Only the first 256 names of a way are followed. All ways together have a limit of
/// memory, the ``PathRoom``. When the limit is reached, the rest of the way and all later ways are left out.
struct PathWays {
    private(set) var folders: Set<ExactPath> = []
    /// The names in ``folders`` on which the paths depend.
    private(set) var names: Set<[UInt8]> = []

    // Many paths have folders in common. So the result for each place is kept, and each place is examined
    // only one time.
    private var places: [ExactPath: Place] = [:]

    /// The number of places that were looked at.
    var looks: Int { places.count }

    private enum Place {
        case folder, other
        case link(String)
    }

    /// The kernel follows at most this number of links on the way to a file.
    private static let mostLinks = 40
    /// The largest number of names of a way that are followed. A usual way has about a dozen names.
    private static let mostNames = 256

    private(set) var room = PathRoom()

    /// Adds the folder of a file, and the folder of each link in its path.
    mutating func add(file: String) {
        if let (_, folder, name) = follow(file) { note(name, in: folder) }
    }

    /// Adds a folder of desktop entries, the folders below it, and the folder of each link in its path.
    mutating func add(tree: String) {
        guard let (top, folder, name) = follow(tree) else { return }
        guard case .folder = look(at: top) else { return note(name, in: folder) }
        for folder in EntryTree.folders(below: top) {
            folders.insert(ExactPath(folder.path))
            // A folder of entries may be a link, and the link may later be replaced by another link. So the
            // folder's name is added too.
            if let name = Self.names(in: folder.path)?.first { names.insert(Array(name.utf8)) }
        }
    }

    /// Adds the name and the folder of each link in a path.
    ///
    /// - Returns: the place that the path leads to, with the folder that holds this place and the name in the
    ///   folder; `nil` if a folder on the way is missing, if the path or its way is too long, or if the
    ///   memory for paths is used up.
    private mutating func follow(_ path: String) -> (place: String, folder: String, name: String)? {
        guard var rest = Self.names(in: path) else { return nil }
        // `place` never contains a link. So for `..`, the folder above `place` is the one that the kernel
        // would find.
        var place = Self.isWhole(path) ? "/" : "."
        var last = (place: place, folder: place, name: "")
        var (links, names) = (0, 0)
        while let name = rest.popLast() {
            names += 1
            guard names <= Self.mostNames, room.take(place) else { return nil }
            if name == "..", Self.isWhole(place) {
                place = Self.parted(place).folder
                let (folder, name) = Self.parted(place)
                last = (place, folder, name)
                continue
            }
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
                guard links <= Self.mostLinks, room.take(target), let more = Self.names(in: target) else {
                    return nil
                }
                place = Self.isWhole(target) ? "/" : folder
                rest += more
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

    /// The folder of a place, and the place's name in the folder. For `/`, the folder is `/` and the name is
    /// empty.
    private static func parted(_ place: String) -> (folder: String, name: String) {
        guard let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (place, "") }
        let folder = slash == place.startIndex ? "/" : String(Substring(place.utf8[..<slash]))
        return (folder, String(Substring(place.utf8[place.utf8.index(after: slash)...])))
    }

    /// The names in a path, with the first name at the end; `nil` if the path is too long for the kernel.
    ///
    /// The path is split by bytes. A name may begin with a combining accent, and Swift takes such an accent
    /// and the slash before it as one character.
    private static func names(in path: String) -> [String]? {
        if path.utf8.count >= ExactPath.limit { return nil }
        return path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }
            .filter { $0 != "." }
    }
}
#endif
