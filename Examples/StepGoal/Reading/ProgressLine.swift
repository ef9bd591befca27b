internal import Foundation

/// The part of a file that was read, as a line on standard error that is redrawn. Nothing is drawn if
/// standard error is no terminal.
struct ProgressLine: ~Copyable {
    private let size: Int?
    private let isShown: Bool
    private var latest = -1

    init(size: Int?, isShown: Bool) {
        self.size = size
        self.isShown = isShown
    }

    mutating func show(_ count: Int) {
        guard isShown else { return }
        // The line is redrawn only when it changes.
        let step = size.map { $0 > 0 ? min(100, count * 100 / $0) : 100 } ?? count >> 24
        guard step != latest else { return }
        latest = step
        write("\r\(Self.text(count, of: size))\u{1B}[K")
    }

    deinit { if isShown, latest >= 0 { write("\r\u{1B}[K") } }

    static func text(_ count: Int, of size: Int?) -> String {
        guard let size, size > 0 else { return "\(megabytes(count)) MB" }
        let filled = min(20, count * 20 / size)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        return "[\(bar)] \(min(100, count * 100 / size)) %, \(megabytes(count)) of \(megabytes(size)) MB"
    }

    private static func megabytes(_ count: Int) -> Int { (count + 500_000) / 1_000_000 }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
