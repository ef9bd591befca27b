#if os(Linux)
import ExampleSupport
import Foundation
import Glibc
import Synchronization
import Testing

/// The built app on a pseudo-terminal, as a person would use it.
///
/// No step waits for a fixed time. Each step waits until the screen is as expected, up to a deadline.
final class DeskRun: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var description: String
    }

    private static let deadline = Duration.seconds(300)

    private let screen: Mutex<DrawnScreen>
    private let isPlain = Mutex(true)
    private let master: Int32
    let process: pid_t

    /// Starts the app with its data in a folder, in a window of a given size.
    ///
    /// The app is the program of the window, or the job of a shell in it. The shell can stop and continue its
    /// job.
    init(
        home: URL,
        _ arguments: [String] = [],
        columns: Int = 100,
        rows: Int = 30,
        locale: String = "C.UTF-8",
        isJob: Bool = false
    ) throws {
        screen = Mutex(DrawnScreen(columns: columns, rows: rows))
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, isLocked): (UInt32, Int32) = (0, 0)
        // These numbers are the requests to unlock the other side, and to get its number.
        guard unsafe ioctl(master, 0x4004_5431, &isLocked) == 0,
            unsafe ioctl(master, 0x8004_5430, &number) == 0
        else { throw TimedOut(description: "there is no pseudo-terminal") }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
        let app = [try built("repair-desk").path, "--home", home.path] + arguments
        process = try Self.start(
            isJob ? ["/bin/sh", "-c", Self.shell] + app : app,
            on: "/dev/pts/\(number)",
            locale
        )
        Thread.detachNewThread { [weak self, master] in
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe read(master, &bytes, bytes.count)
                guard count > 0, let self else { return }
                if bytes[..<count].contains(where: { $0 > 0x7F }) { self.isPlain.withLock { $0 = false } }
                let text = String(decoding: bytes[..<count], as: UTF8.self)
                self.screen.withLock { $0.write(text) }
            }
        }
    }

    /// Runs its arguments as a job. While the job is stopped, each typed line continues it.
    private static let shell =
        #"set -m; "$0" "$@"; while [ $? -eq 148 ]; do read -r line; fg >/dev/null; done"#

    private static func start(
        _ words: [String],
        on terminal: String,
        _ locale: String
    ) throws -> pid_t {
        let path = words[0]
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        // 0x80 starts a new session. The first terminal that the session opens becomes its terminal.
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        for descriptor in Int32(0)...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, terminal, O_RDWR, 0)
        }
        var words = unsafe copies(words)
        var variables = unsafe copies(["TERM=xterm-256color", "LANG=\(locale)", "PATH=/usr/bin:/bin"])
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard failure == 0 else { throw TimedOut(description: "cannot start \(path): \(failure)") }
        return process
    }

    private static func copies(_ words: [String]) -> [UnsafeMutablePointer<CChar>?] {
        var copies: [UnsafeMutablePointer<CChar>?] = unsafe []
        for word in words { unsafe copies.append(strdup(word)) }
        unsafe copies.append(nil)
        return unsafe copies
    }

    deinit {
        // The number is read once. A closed terminal gives no process, and `kill` takes such a number for
        // other processes.
        let front = front
        if front > 1 { kill(front, SIGKILL) }
        kill(process, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
        close(master)
    }

    func type(_ text: String) {
        var bytes = Array(text.utf8)
        _ = unsafe write(master, &bytes, bytes.count)
    }

    /// Clicks on a text that is to be seen.
    func click(_ word: String) {
        for (y, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let range = line.firstRange(of: word) else { continue }
            let x = line.distance(from: line.startIndex, to: range.lowerBound)
            return type("\u{1B}[<0;\(x + 1);\(y + 1)M\u{1B}[<0;\(x + 1);\(y + 1)m")
        }
    }

    /// The window goes out of sight, or comes back.
    func focus(_ isFocused: Bool) { type(isFocused ? "\u{1B}[I" : "\u{1B}[O") }

    /// Whether nothing beyond ASCII was written so far.
    var isASCII: Bool { isPlain.withLock { $0 } }

    var text: String { screen.withLock { $0.text } }

    /// Waits until a text is to be seen.
    func wait(for text: String) async throws {
        try await wait("'\(text)'") { $0.contains(text) }
    }

    func wait(_ what: String, until isSo: (String) -> Bool) async throws {
        let start = ContinuousClock.now
        while !isSo(text) {
            guard ContinuousClock.now - start < Self.deadline else {
                throw TimedOut(description: "waited in vain for \(what); the screen:\n\(text)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The process group in front: the app's, or the shell's while its job is stopped.
    var front: pid_t { tcgetpgrp(master) }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Sends a signal, and waits for the end.
    func end(by signal: Int32) {
        kill(process, signal)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }
}
#endif
