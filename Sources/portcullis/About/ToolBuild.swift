internal import CBuild
internal import CronScheduler
internal import Gcrypt

/// The versions of the tool's parts, some from the time of the build, some from the run.
enum ToolBuild {
    /// The output of `--version --verbose`, line by line.
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

    // A program can read the language's version only in compile-time conditions.
    #if compiler(>=6.4)
    private static let swift = "6.4 or later"
    #elseif compiler(>=6.3)
    private static let swift = "6.3"
    #else
    private static let swift = "6.2"
    #endif
}
