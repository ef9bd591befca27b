#if os(Linux)
import Foundation

/// What the system's table of processes says.
public enum ProcessState: Sendable {
    /// Whether a process is stopped.
    public static func isStopped(_ process: Int32) -> Bool { fields(of: process).first == "T" }

    /// The processes that have ended and were not collected by the one that started them.
    public static func ended(startedBy parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter {
            fields(of: $0).prefix(2) == ["Z", "\(parent)"]
        }
    }

    /// The state, the parent, and what follows.
    private static func fields(of process: Int32) -> [Substring] {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // They follow the name, which is in brackets and may hold anything.
        return stat.split(separator: ")").last?.split(separator: " ") ?? []
    }
}
#endif
