internal import Foundation

/// What a figure depends on besides the code.
package enum Machine {
    /// Processor, cores, kernel, system, file system of `folder`, Swift, and how busy the machine is, a line each.
    package static func facts(measuringIn folder: String) -> [String] {
        [
            "\(processor), \(ProcessInfo.processInfo.processorCount) cores",
            "\(first("/etc/os-release", after: "PRETTY_NAME=").replacingOccurrences(of: "\"", with: "")), "
                + "Linux \(content("/proc/sys/kernel/osrelease"))",
            "files on \(fileSystem(of: folder))",
            "Swift \(swift)",
            "load when it ended: \(content("/proc/loadavg").split(separator: " ").first ?? "unknown")",
        ]
    }

    private static var processor: String { first("/proc/cpuinfo", after: "model name\t: ") }

    private static var swift: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    private static func content(_ path: String) -> String {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
    }

    private static func first(_ path: String, after start: String) -> String {
        let line = content(path).split(separator: "\n").first { $0.hasPrefix(start) }
        return line.map { String($0.dropFirst(start.count)) } ?? "unknown"
    }

    /// The type of the file system with the longest mount point that the folder lies under.
    private static func fileSystem(of folder: String) -> String {
        let mounts = content("/proc/self/mounts").split(separator: "\n").map { $0.split(separator: " ") }
        let fitting = mounts.filter {
            $0.count > 2 && (folder + "/").hasPrefix($0[1] == "/" ? "/" : $0[1] + "/")
        }
        // The later one covers the earlier one at the same place.
        return fitting.reversed().max { $0[1].count < $1[1].count }.map { String($0[2]) } ?? "unknown"
    }
}
