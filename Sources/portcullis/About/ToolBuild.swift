internal import CBuild
internal import CronScheduler
internal import Gcrypt

/// What this tool was built from and with, and what it works with now.
enum ToolBuild {
    /// What `--version --verbose` answers, a line each.
    static var lines: [String] {
        [
            ToolVersion.line,
            "commit: \(commit)",
            "Swift: \(swift)",
            "libgcrypt: \(GcryptVersion.atRunTime ?? "unknown")",
            "time zone data: \(ZoneRules.dataVersion)",
        ]
    }

    private static var commit: String { unsafe String(cString: cbuild_commit()) }

    // The language tells its version in conditions only.
    #if compiler(>=6.4)
    private static let swift = "6.4 or later"
    #elseif compiler(>=6.3)
    private static let swift = "6.3"
    #else
    private static let swift = "6.2"
    #endif
}
