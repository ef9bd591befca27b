import Foundation

/// Lines of the table.
enum Row {
    static func print(_ what: String, _ times: [Duration], bar: Duration? = nil) {
        let sorted = times.sorted()
        guard let last = sorted.last else {
            Swift.print("| \(what) | – | – | – | |")
            return
        }
        let high = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        let verdict = bar.map { "≤ \(text($0)): \(high <= $0 ? "met" : "**missed**")" } ?? ""
        Swift.print(
            "| \(what) | \(text(sorted[sorted.count / 2])) | \(text(high)) | \(text(last)) | \(verdict) |"
        )
    }

    static func print(_ what: String, count: Int, of tries: Int, bar: Int? = nil) {
        let verdict = bar.map { "\($0): \(count <= $0 ? "met" : "**missed**")" } ?? ""
        Swift.print("| \(what) | \(count) of \(tries) | | | \(verdict) |")
    }

    static func median(_ times: [Duration]) -> Double {
        times.sorted()[times.count / 2] / .seconds(1)
    }

    static func rounded(_ number: Double) -> String { String(format: "%.2f", number) }

    private static func text(_ time: Duration) -> String {
        let microseconds = time / .microseconds(1)
        return microseconds < 1_000
            ? String(format: "%.0f µs", microseconds) : String(format: "%.1f ms", microseconds / 1_000)
    }
}
