internal import Foundation

/// Writes lines to a file on a thread of its own, so that a reader who is slow holds up nobody who logs.
///
/// Lines that come while ten thousand wait are dropped; the next one that is written says how many.
final class LineWriter: Sendable {
    private let condition = NSCondition()
    // Touched only with `condition` held.
    nonisolated(unsafe) private var waiting: [String] = []
    // Touched only with `condition` held.
    nonisolated(unsafe) private var dropped = 0
    // Touched only with `condition` held.
    nonisolated(unsafe) private var isWriting = false

    /// A writer to a file, which stays the caller's.
    init(_ file: FileHandle) {
        Thread { [self] in
            while true {
                // A log that nobody reads any more is no reason to stop serving.
                try? file.write(contentsOf: Data(take().joined().utf8))
            }
        }.start()
    }

    func add(_ line: String) {
        condition.withLock {
            if unsafe waiting.count < 10_000 { unsafe waiting.append(line) } else { unsafe dropped += 1 }
            condition.broadcast()
        }
    }

    /// Waits until everything so far is written, at most a second: for the end of a program.
    func flush() {
        let deadline = Date(timeIntervalSinceNow: 1)
        condition.withLock {
            while unsafe isWriting || !waiting.isEmpty {
                guard condition.wait(until: deadline) else { return }
            }
        }
    }

    private func take() -> [String] {
        condition.withLock {
            unsafe isWriting = false
            condition.broadcast()
            while unsafe waiting.isEmpty { condition.wait() }
            unsafe isWriting = true
            var lines = unsafe waiting
            if unsafe dropped > 0 {
                lines.append("{\"level\":\"warning\",\"message\":\"\(unsafe dropped) lines were dropped\"}\n")
            }
            unsafe (waiting, dropped) = ([], 0)
            return lines
        }
    }
}
