#if os(Linux)
import Foundation

/// What the system's table of processes says of one.
public enum ProcessState: Sendable {
    /// Whether a process is stopped.
    public static func isStopped(_ process: Int32) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The state follows the name, which is in brackets and may hold anything.
        return stat.split(separator: ")").last?.split(separator: " ").first == "T"
    }
}
#endif
