#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

// The names of the zones, and the files' version.
extension ZoneFiles {
    /// The names of all zones, in no particular order; empty if there are no zone files.
    package var names: [String] { folder.map { Self.walk($0).files } ?? [] }

    /// The folders to watch for replaced zone files: the zones' folder and all folders below it.
    package var watchedFolders: [String] { folder.map { Self.walk($0).folders } ?? [] }

    /// The version of the tz database from which the files were made, such as `2026a`. The value is `unknown`
    /// if no file contains the version, and `none` if the folder of the files does not exist.
    package var version: String {
        guard let folder else { return "none" }
        // The first file exists on Debian, Fedora, Alpine and Arch, the second one on the BSDs.
        for (file, start) in [("tzdata.zi", "# version "), ("+VERSION", "")] {
            guard let line = Self.firstLine(of: folder + "/" + file), line.hasPrefix(start) else { continue }
            let version = line.dropFirst(start.count).prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
            if !version.isEmpty { return String(version) }
        }
        return "unknown"
    }

    private static func firstLine(of path: String) -> String? {
        // `tzdata.zi` is the larger of the two files, because it holds the whole database as text. Its size
        // is a tenth of this limit.
        guard let (bytes, _) = try? contents(of: path, atMost: 1 << 20) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(100), as: UTF8.self)
    }

    /// The number of files and folders at which the search ends. `deepest` is the greatest depth of folders.
    /// The limits also end the search if a link leads back to an upper folder. No release of the tz database
    /// has so many files or such deep folders.
    private static let most = 4_096
    private static let deepest = 4

    private static func walk(_ root: String) -> (files: [String], folders: [String]) {
        var files: [String] = []
        var folders = [root]
        // Folders that were not read yet: their paths below the root, and their depths.
        var open: [(name: String, depth: Int)] = [("", 0)]
        while let (name, depth) = open.popLast(), files.count + folders.count < most {
            for entry in entries(of: name.isEmpty ? root : root + "/" + name) where isPart(entry) {
                let path = name.isEmpty ? entry : name + "/" + entry
                var status = stat()
                guard unsafe stat(root + "/" + path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFREG { files.append(path) }
                if status.st_mode & S_IFMT == S_IFDIR, depth < deepest {
                    folders.append(root + "/" + path)
                    open.append((path, depth + 1))
                }
            }
        }
        return (files, folders)
    }

    /// Whether an entry of a folder may be a zone or a region. The names of zones and regions begin with a
    /// capital letter and have no dot. This rule excludes `posix`, `right`, `posixrules`, `localtime` and
    /// text files such as `zone.tab`. `Factory` and `SECURITY` are excluded by name.
    private static func isPart(_ entry: String) -> Bool {
        guard let first = entry.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
            return false
        }
        return !entry.utf8.contains(UInt8(ascii: ".")) && !["Factory", "SECURITY"].contains(entry)
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var entries: [String] = []
        while let entry = unsafe readdir(stream), entries.count < most {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            entries.append(name)
        }
        return entries
    }
}
#endif
