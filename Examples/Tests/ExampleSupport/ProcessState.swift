#if os(Linux)
import Foundation

/// Reads the system's table of processes.
public enum ProcessState: Sendable {
    /// Whether a process is stopped.
    public static func isStopped(_ process: Int32) -> Bool { fields(of: process).first == "T" }

    /// The ended processes that were not collected by the process that started them.
    public static func ended(startedBy parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter {
            fields(of: $0).prefix(2) == ["Z", "\(parent)"]
        }
    }

    /// The fields of a process: the state, the parent, and those after them.
    private static func fields(of process: Int32) -> [Substring] {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The fields follow the name, which is in brackets and may contain any character.
        return stat.split(separator: ")").last?.split(separator: " ") ?? []
    }
}
#endif
