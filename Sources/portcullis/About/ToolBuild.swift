internal import CBuild
internal import CronScheduler
internal import Gcrypt

/// The versions of the tool and its parts. Some versions are set at build time, others are read at run time.
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

    // The compiler's version can only be tested with `#if`, so each known version has its own text.
    #if compiler(>=6.4)
    private static let swift = "6.4 or later"
    #elseif compiler(>=6.3)
    private static let swift = "6.3"
    #else
    private static let swift = "6.2"
    #endif
}
