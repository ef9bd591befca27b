internal import Foundation

/// Writes lines to a file on a thread of its own, so that a slow reader does not hold up the code that logs.
///
/// While ten thousand lines wait, further lines are dropped. The next lines that are written include a line
/// with the number of dropped lines.
final class LineWriter: Sendable {
    private let condition = NSCondition()
    // Touched only with `condition` held.
    nonisolated(unsafe) private var waiting: [String] = []
    // Touched only with `condition` held.
    nonisolated(unsafe) private var dropped = 0
    // Touched only with `condition` held.
    nonisolated(unsafe) private var isWriting = false

    /// Makes a writer to a file, which the caller still owns.
    init(_ file: FileHandle) {
        Thread { [self] in
            while true {
                // If the log cannot be written any more, the server goes on.
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

    /// Waits until all lines so far are written, at most a second. A program calls this before it ends.
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
