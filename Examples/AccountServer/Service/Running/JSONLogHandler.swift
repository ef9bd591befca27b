#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import Logging

/// Writes log entries as lines of JSON: `time`, `level`, `message`, and the metadata.
package struct JSONLogHandler: LogHandler {
    /// The lowest level that is written.
    package var logLevel: Logger.Level
    /// The metadata of each line.
    package var metadata: Logger.Metadata = [:]
    /// A provider of further metadata. It is ignored.
    package var metadataProvider: Logger.MetadataProvider?

    private let now: @Sendable () -> Duration
    private let sink: @Sendable (String) -> Void

    /// A handler.
    ///
    /// - Parameters:
    ///   - level: the lowest level that is written.
    ///   - now: the wall clock, as time since 1970-01-01T00:00:00Z.
    ///   - sink: takes a line with its newline.
    package init(
        level: Logger.Level = .info,
        now: @escaping @Sendable () -> Duration,
        sink: @escaping @Sendable (String) -> Void
    ) {
        self.logLevel = level
        self.now = now
        self.sink = sink
    }

    /// The metadata of each line under a key.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    package func log(event: LogEvent) {
        var fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        if let error = event.error { fields["error"] = "\(error)" }
        fields["time"] = Date(timeIntervalSince1970: now() / .seconds(1)).formatted(.iso8601)
        fields["level"] = event.level.rawValue
        fields["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(fields) else { return }
        sink(String(decoding: line, as: UTF8.self) + "\n")
    }
}
