import CLinux
import Foundation
import Glibc
import Synchronization
import TerminalEmulator

/// The built tool on a pseudo-terminal, as a person would use it, with a small terminal that shows what it draws.
///
/// Nothing here waits for a fixed time: every step waits until the screen, the output or the process is as
/// expected, up to a deadline.
final class GuardedRun: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        var description: String
    }

    private struct State: Sendable {
        var emulator: TerminalEmulator
        var raw: [UInt8] = []
        var status: Int32?
        var isDrained = false
        var isReading = true
        /// The shell's job, once it was seen.
        var job: pid_t?
    }

    static let deadline = Duration.seconds(300)

    private let state: Mutex<State>
    private let master: Int32
    private let slave: Int32
    let process: pid_t
    /// The terminal's attributes before the tool started.
    let firstAttributes: String
    private let firstSettings: termios
    private let isJob: Bool
    /// A folder of its own, so that no run knows another's passcode.
    let home: URL

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - arguments: without the tool's name.
    ///   - executable: another program, to start the tool in its turn.
    ///   - columns: of the terminal.
    ///   - rows: of the terminal.
    ///   - home: where its files are; a new folder unless told otherwise.
    ///   - variables: of the environment, such as `NO_COLOR=1`, before the usual ones.
    ///   - keepsTitles: whether the terminal can put titles aside.
    ///   - isJob: whether a shell runs it, which can stop and continue it.
    init(
        _ arguments: [String],
        executable: String = Tool.executable.path,
        columns: Int = 80,
        rows: Int = 24,
        home: URL? = nil,
        variables: [String] = [],
        keepsTitles: Bool = true,
        isJob: Bool = false
    ) throws {
        self.isJob = isJob
        var path = [CChar](repeating: 0, count: 128)
        master = unsafe clinux_open_pseudo_terminal(&path, path.count)
        let slavePath = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        // Kept open, so that its attributes can be looked at after the tool ended.
        slave = unsafe open(slavePath, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
        state = Mutex(
            State(
                emulator: TerminalEmulator(columns: columns, rows: rows, keepsTitles: keepsTitles)
            )
        )
        self.home =
            home ?? FileManager.default.temporaryDirectory.appending(path: "guard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.home, withIntermediateDirectories: true)

        let folder = self.home.path(percentEncoded: false)
        let usual = [
            "PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=$ ",
            "XDG_DATA_HOME=\(folder)", "XDG_CONFIG_HOME=\(folder)", "HOME=\(folder)",
            // The machine's own apps are no concern of any test.
            "XDG_DATA_DIRS=\(folder)/none",
        ]
        // Where a variable stands twice a program may take either.
        let own = Set(variables.map { $0.prefix { $0 != "=" } })
        let environment =
            usual.filter { !own.contains($0.prefix { $0 != "=" }) }
            + Tool.ofBuild.map { "\($0.key)=\($0.value)" } + variables
        let line = isJob ? ["/bin/sh", "-c", Self.shell, executable] : [executable]
        var words = unsafe (line + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        var variables = unsafe environment.map { unsafe strdup($0) }
        unsafe variables.append(nil)
        firstAttributes = Self.attributes(of: slave)
        var settings = termios()
        _ = unsafe tcgetattr(slave, &settings)
        firstSettings = settings
        var started: pid_t = 0
        let failure = unsafe clinux_spawn_on_terminal(
            &started,
            slavePath,
            -1,
            line[0],
            words,
            variables
        )
        for index in unsafe words.indices { unsafe free(words[index]) }
        for index in unsafe variables.indices { unsafe free(variables[index]) }
        guard failure == 0 else {
            throw TimedOut(description: "cannot start \(executable): \(failure)")
        }
        process = started
        // Weakly, so that a test that failed leaves no tool behind.
        Thread.detachNewThread { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while self?.read(&buffer) == true {}
        }
    }

    deinit {
        kill(tool, SIGKILL)
        kill(process, SIGKILL)
        close(slave)
        close(master)
        try? FileManager.default.removeItem(at: home)
    }

    /// Runs its arguments as a job, which goes on at each line that is typed while it is stopped.
    private static let shell =
        #"set -m; "$0" "$@"; status=$?; while [ $status -eq 148 ]; do read -r line; fg >/dev/null; status=$?; done; exit $status"#

    /// Runs its arguments as a job in the background, of which it tells the number. When the file `go` is in the
    /// home, it takes a typed line and brings the job to the front.
    static let inBackground =
        #"set -m; "$0" "$@" & echo "job $!"; until [ -e "$HOME/go" ]; do sleep 0.1; done; read -r line; fg >/dev/null"#

    /// The same as ``inBackground`` in a shell that edits its line itself. While it does so, the terminal passes
    /// every key on and shows none.
    static let behindLineEditor =
        "stty -icanon -echo -icrnl; " + inBackground.replacing("fg >", with: "stty icanon echo icrnl; fg >")

    /// Runs its arguments as a job, which is put in the background once it is stopped. Then the same as
    /// ``inBackground``.
    static let throughBackground =
        #"set -m; "$0" "$@"; bg >/dev/null; echo behind; until [ -e "$HOME/go" ]; do sleep 0.1; done; read -r line; fg >/dev/null"#

    /// The same as ``throughBackground``, after a stop that is long enough to count as an absence.
    static let awayThroughBackground = throughBackground.replacing("bg >", with: "sleep 4; bg >")

    /// Waits until the job that ``inBackground`` tells of is stopped by the system.
    func stoppedJob() async throws -> pid_t {
        try await wait("the job") { _ in raw.contains(/job \d+\s/) }
        guard let job = raw.firstMatch(of: /job (\d+)\s/).flatMap({ pid_t($0.output.1) }) else {
            throw TimedOut(description: "the job has no number")
        }
        try await wait("the job to stop") { _ in Self.state(of: job) == "T" }
        return job
    }

    /// The state of a process, such as `T` when it is stopped; `nil` when there is none.
    static func state(of process: pid_t) -> Character? {
        let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The state follows the name, which stands in parentheses.
        return stat?.split(separator: ")").last?.dropFirst().first
    }

    /// Ends a stopped job, as a shell's `kill` does, and waits until it has ended.
    func end(job: pid_t) async throws {
        kill(job, SIGTERM)
        kill(job, SIGCONT)
        try await wait("the end of the job") { _ in ["Z", "X", nil].contains(Self.state(of: job)) }
    }

    /// Lets ``inBackground`` bring its job to the front.
    func bringToFront() throws {
        try Data().write(to: home.appending(path: "go"))
        type("\n")
    }

    /// The process that leads the job in front.
    var front: pid_t { tcgetpgrp(master) }

    /// The tool's own process.
    private var tool: pid_t {
        guard isJob else { return process }
        return state.withLock { state in
            let front = tcgetpgrp(master)
            if front > 0, front != process { state.job = front }
            return state.job ?? process
        }
    }

    /// - Returns: whether there is more to come.
    private func read(_ buffer: inout [UInt8]) -> Bool {
        let isReading = state.withLock { $0.isReading }
        var waiting = pollfd(fd: isReading ? master : -1, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, 20) > 0 else {
            // Nothing was left to read when it had ended already.
            if state.withLock({ $0.status != nil }) {
                state.withLock { $0.isDrained = true }
                return false
            }
            var result: Int32 = 0
            guard unsafe waitpid(process, &result, WNOHANG) == process else { return true }
            let signal = result & 0x7F
            state.withLock { $0.status = signal == 0 ? (result >> 8) & 0xFF : 128 + signal }
            return true
        }
        let count = unsafe Glibc.read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        state.withLock { state in
            state.emulator.write(buffer[..<count])
            state.raw += buffer[..<count]
        }
        return true
    }

    // MARK: What a person does

    func type(_ text: String) {
        var bytes = Array(text.utf8)
        _ = unsafe write(master, &bytes, bytes.count)
    }

    func click(x: Int, y: Int) { type("\u{1B}[<0;\(x + 1);\(y + 1)M\u{1B}[<0;\(x + 1);\(y + 1)m") }

    func resize(columns: Int, rows: Int) {
        state.withLock { $0.emulator.resize(columns: columns, rows: rows) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// As a terminal that hangs: what the tool writes stays where it is.
    func stopReading() { state.withLock { $0.isReading = false } }

    /// Whether the tool's process is stopped, as the system says.
    var isStopped: Bool {
        // No such file any more: it has ended, and is not stopped.
        (try? String(contentsOfFile: "/proc/\(tool)/stat", encoding: .utf8))?.contains(") T ") == true
    }

    func send(_ signal: Int32) { kill(tool, signal) }

    /// Continues the stopped job, as a person would.
    func resume() { type("\n") }

    // MARK: What a person sees

    var screen: TerminalEmulator { state.withLock { $0.emulator } }

    /// All that reached the terminal so far.
    var raw: String { state.withLock { String(decoding: $0.raw, as: UTF8.self) } }

    /// The terminal's attributes, as text that can be compared.
    var attributes: String { Self.attributes(of: slave) }

    /// Gives the terminal its first attributes back, as a shell does when a program was stopped.
    func restoreAttributes() {
        var first = firstSettings
        _ = unsafe tcsetattr(slave, TCSANOW, &first)
    }

    private static func attributes(of slave: Int32) -> String {
        var found = termios()
        _ = unsafe tcgetattr(slave, &found)
        return "\(found.c_iflag) \(found.c_oflag) \(found.c_cflag) \(found.c_lflag)"
    }

    func wait(
        _ what: String,
        until isSo: (TerminalEmulator) -> Bool
    ) async throws {
        let start = ContinuousClock.now
        while true {
            let isOver = isSo(screen)
            // Noted while it is in front: a job that has stopped is not, and could not be found any more.
            _ = tool
            if isOver { return }
            guard ContinuousClock.now - start < Self.deadline else {
                throw TimedOut(description: "waited in vain for \(what); the screen:\n\(screen.text)")
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func waitForText(_ text: String) async throws {
        try await wait("'\(text)'") { $0.text.contains(text) }
    }

    /// Waits until every thread of the tool stands still: a stop signal takes a moment to reach them all.
    func waitUntilStopped() async throws {
        let folder = "/proc/\(tool)/task"
        try await wait("every thread to stop") { _ in
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return !threads.isEmpty
                && threads.allSatisfy { thread in
                    let line =
                        (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
                    // The state follows the name, which stands in parentheses.
                    return line.split(separator: ")").last?.hasPrefix(" T") == true
                }
        }
    }

    /// The exit status, once it has ended.
    func waitForEnd() async throws -> Int32 {
        try await wait("the end") { _ in state.withLock { $0.isDrained } }
        return state.withLock { $0.status ?? -1 }
    }

    /// The exit status as soon as there is one, though not all output was read.
    func waitForExit() async throws -> Int32 {
        try await wait("the exit") { _ in state.withLock { $0.status != nil } }
        return state.withLock { $0.status ?? -1 }
    }

    // MARK: Usual ways

    /// Types the passcode on first start, twice.
    ///
    /// For sessions that lock by themselves: they may do so before anybody sees the program.
    func choosePasscode(_ passcode: String) async throws {
        try await waitForText("Create a passcode")
        type(passcode)
        try await waitForText("Confirm passcode")
        type(passcode)
    }

    /// Sets the passcode on first start and waits until the program is seen.
    func setPasscode(_ passcode: String) async throws {
        try await choosePasscode(passcode)
        try await wait("the program") { !$0.modes.contains(1000) && !$0.text.contains("Passcode") }
    }

    /// Locks with the key and waits for the lock screen.
    func lock() async throws {
        type("\u{1D}")
        try await waitForText("Enter Passcode")
    }

    /// Types the passcode and waits until the lock screen is gone.
    func unlock(_ passcode: String) async throws {
        type(passcode)
        try await wait("the end of the lock screen") { !$0.text.contains("Enter Passcode") }
    }

    /// Unlocks where no absence is short enough: on a machine so busy that the tool stands still for seconds, that is one,
    /// and it asks again. What was typed before that is forgotten, or a part of it: then it is typed anew.
    func unlockUnderNoTimeout(_ passcode: String) async throws {
        let (full, empty) = ("●  ●  ●  ●  ●  ●", "○  ○  ○  ○  ○  ○")
        for _ in 1...8 where screen.text.contains("Enter Passcode") {
            type(String(repeating: "\u{7F}", count: passcode.count) + passcode)
            let due = ContinuousClock.now + .seconds(20)
            var isWhole = false
            try await wait("the whole entry") {
                isWhole = $0.text.contains(full) || !$0.text.contains("Enter Passcode")
                return isWhole || ContinuousClock.now > due
            }
            guard isWhole else { continue }
            try await wait("an answer") {
                $0.text.contains(empty) || !$0.text.contains("Enter Passcode")
            }
        }
        try await wait("the end of the lock screen") { !$0.text.contains("Enter Passcode") }
    }
}
