internal import Logging

/// A log on standard output: the level, the event, and its details in the order of their names.
struct LineLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        print("\(event.level): \(event.message)\(details)")
    }
}
