/// The desktop entries below a folder, and the folders that hold them.
///
/// A person may put any number of folders, entries and links into a folder of their own. So the numbers of
/// folders and of entries are limited, and each folder is read once, however many links lead to it.
enum EntryTree {
    /// A folder of entries.
    struct Folder {
        let path: String
        /// The start of the ids of the folder's entries; empty for the top folder. It consists of the folder
        /// names below the top folder, each followed by a dash: `kde-games-` for the folder `kde/games`.
        let prefix: String
        fileprivate let depth: Int
    }

    /// The limit of the entries below one top folder. A usual desktop has a few hundred entries.
    static let mostEntries = 4_096
    /// The limit of the folders below one top folder.
    static let mostFolders = 256
    /// The limit of the names that are read in one folder.
    static let mostNames = 65_536

    /// Returns a folder and the folders below it.
    static func folders(below top: String) -> [Folder] {
        var found: [Folder] = []
        var seen: Set<FileID> = []
        var folders = [Folder(path: top, prefix: "", depth: 0)]
        // Each folder is visited once. The first path that leads to a folder gives the ids of the folder's
        // entries. Folders behind links are visited last, so that the ids come from the real path.
        var links: [Folder] = []
        while found.count < mostFolders, let next = folders.popLast() ?? links.popLast() {
            guard let status = FileStatus(path: next.path), status.isFolder, seen.insert(status.id).inserted
            else { continue }
            found.append(next)
            if next.depth == 3 { continue }
            for name in names(in: next.path, areEntries: false).reversed() {
                let folder = Folder(
                    path: "\(next.path)/\(name)",
                    prefix: "\(next.prefix)\(name)-",
                    depth: next.depth + 1
                )
                if SmallFiles.link(folder.path) == nil {
                    folders.append(folder)
                } else {
                    links.append(folder)
                }
            }
        }
        return found
    }

    /// The desktop entries below the folder `top`, each with its id. The id consists of the names of the
    /// folders between `top` and the entry, each followed by a dash, and the entry's file name.
    static func entries(below top: String) -> [(id: String, path: String)] {
        var entries: [(String, String)] = []
        for folder in folders(below: top) {
            for name in names(in: folder.path, areEntries: true) {
                if entries.count == mostEntries { return entries }
                entries.append((folder.prefix + name, "\(folder.path)/\(name)"))
            }
        }
        return entries
    }

    /// Returns the names in a folder that end in `.desktop` if `areEntries` is `true`, and all other names if
    /// it is `false`.
    private static func names(in folder: String, areEntries: Bool) -> [String] {
        SmallFiles.names(in: folder, limit: mostEntries, reach: mostNames) {
            $0.hasSuffix(".desktop") == areEntries
        }
    }
}
