internal import CronScheduler

/// Collects output for standard output, so that many short lines need few writes.
struct OutputBuffer: ~Copyable {
    private static let full = 32 * 1024

    private var bytes: [UInt8] = []

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ second: Int, in zone: ZoneRules) {
        TimeStamp.append(second, in: zone, to: &bytes)
    }

    mutating func flushIfFull() throws(ToolFailure) {
        if bytes.count >= Self.full { try flush() }
    }

    mutating func flush() throws(ToolFailure) {
        guard !bytes.isEmpty else { return }
        try StandardOutput.write(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }
}
