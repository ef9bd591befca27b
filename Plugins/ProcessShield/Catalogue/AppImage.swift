internal import LinuxSystem

/// The AppImage format: an app in one file. The file mounts itself and starts the program inside:
/// <https://github.com/AppImage/AppImageSpec>.
///
/// The process that runs the file serves the files of the mount. The shield never stops that process. If it
/// did, every process that reads the mount would hang, for example a file manager.
enum AppImage {
    /// Whether a file that starts with these bytes is an AppImage of type 1 or 2.
    static func starts(with bytes: [UInt8]) -> Bool {
        bytes.count > 10 && bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) && bytes[8] == UInt8(ascii: "A")
            && bytes[9] == UInt8(ascii: "I") && (1...2).contains(bytes[10])
    }

    /// Whether a program's path may be in the mount of an AppImage, or in a folder that an AppImage was
    /// unpacked to.
    static func isMounted(_ path: String) -> Bool {
        path.pathParts.dropLast()
            .contains { $0.hasPrefix(".mount_") || $0.hasPrefix("appimage_extracted_") }
    }

    /// Whether a process was started from the AppImage `image`. An AppImage passes its own path to its
    /// processes, in the environment variable `APPIMAGE`.
    static func isRun(from image: String, by process: RunningProcess) -> Bool {
        guard let path = process.executablePath, isMounted(path) else { return false }
        return (process.images ?? images(of: process) ?? []).contains { $0.isSamePath(as: image) }
    }

    /// Reads the paths that a process has in the variable `APPIMAGE`; `nil` when its environment cannot be
    /// read now.
    static func images(of process: RunningProcess) -> [String]? {
        let file = "\(process.folder)/environ"
        guard let bytes = ProcessTable.content(of: file, limit: 262_144) else { return nil }
        let name = Array("APPIMAGE=".utf8)
        return bytes.split(separator: 0).filter { $0.starts(with: name) }.map { variable in
            String(decoding: variable.dropFirst(name.count), as: UTF8.self)
        }
    }
}
