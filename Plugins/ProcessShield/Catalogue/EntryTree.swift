/// The desktop entries below a folder, and the folders that hold them.
///
/// A folder of the person's own may hold anything. So the numbers of folders and of entries are limited, and each folder is
/// read once, however many links lead to it.
enum EntryTree {
    /// A folder of entries.
    struct Folder {
        let path: String
        /// What stands before a file's name in the id of its entry: the folders above, with a dash behind each.
        let prefix: String
        fileprivate let depth: Int
    }

    /// How many of one folder's entries are read; a desktop has some hundreds.
    static let mostEntries = 4_096
    /// How many folders are read below one.
    static let mostFolders = 256

    /// A folder and those below it.
    static func folders(below top: String) -> [Folder] {
        var found: [Folder] = []
        var seen: Set<FileID> = []
        var folders = [Folder(path: top, prefix: "", depth: 0)]
        // After the folders themselves: the id of an entry is by the folder that it is in.
        var links: [Folder] = []
        while found.count < mostFolders, let next = folders.popLast() ?? links.popLast() {
            guard let status = FileStatus(path: next.path), status.isFolder, seen.insert(status.id).inserted
            else { continue }
            found.append(next)
            if next.depth == 3 { continue }
            for name in SmallFiles.names(in: next.path).prefix(mostEntries).reversed()
            where !name.hasSuffix(".desktop") {
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

    /// The desktop entries below a folder, with their ids, in which a folder becomes a dash.
    static func entries(below top: String) -> [(id: String, path: String)] {
        var entries: [(String, String)] = []
        for folder in folders(below: top) {
            for name in SmallFiles.names(in: folder.path) where name.hasSuffix(".desktop") {
                if entries.count == mostEntries { return entries }
                entries.append((folder.prefix + name, "\(folder.path)/\(name)"))
            }
        }
        return entries
    }
}
