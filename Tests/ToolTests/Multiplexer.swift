import CLinux
import Foundation
import Glibc

/// A real terminal multiplexer, in which the tool runs as a person would run it.
struct Multiplexer: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case tmux
        case screen

        /// Whether it is installed.
        var isInstalled: Bool { executable != nil }

        fileprivate var executable: URL? {
            ["/usr/bin", "/usr/local/bin", "/bin", "/opt/homebrew/bin"]
                .map { URL(fileURLWithPath: "\($0)/\(rawValue)") }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }

        /// The settings in which it passes sequences on to the terminal around it, and shows each message longer than any
        /// test waits.
        fileprivate var passingOn: String {
            switch self {
            case .tmux: "set -gq allow-passthrough on\n"
            case .screen: "startup_message off\nmsgwait 600\n"
            }
        }
    }

    /// The one that shows its window; around the other where there are two.
    private let kind: Kind
    /// The one within it that the tool runs in; `nil` where there is one only.
    private let inner: Kind?
    /// The person's folder, in it and in what runs there.
    let home: URL
    /// The terminal it was started on.
    private let master: Int32
    /// What was started: of tmux the client, which ends; of GNU screen what stays.
    private var process: pid_t = 0

    /// Starts the tool in a window of 80 by 24.
    ///
    /// - Parameters:
    ///   - kind: an installed one.
    ///   - arguments: the tool's.
    ///   - outer: an installed one that it runs in; `nil` for none. Then messages stay for ten minutes, and sequences are
    ///     passed on.
    init(_ kind: Kind, _ arguments: [String], in outer: Kind? = nil) async throws {
        self.kind = outer ?? kind
        inner = outer == nil ? nil : kind
        var path = [CChar](repeating: 0, count: 128)
        master = unsafe clinux_open_pseudo_terminal(&path, path.count)
        let terminal = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        // Short, because a socket's address is.
        home = URL(fileURLWithPath: "/tmp/mux-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let words = ([Tool.executable.path] + arguments).map { "'\($0.replacing("'", with: "'\\''"))'" }
        var script = try Self.script("run", words.joined(separator: " "), in: home)
        if inner != nil {
            let settings = home.appending(path: "settings")
            try Data(kind.passingOn.utf8).write(to: settings)
            let line =
                switch kind {
                case .tmux: "env -u TMUX tmux -L inner -f \(settings.path) new-session \(script.path)"
                case .screen: "screen -c \(settings.path) -S inner \(script.path)"
                }
            script = try Self.script("inner", line, in: home)
        }
        switch self.kind {
        case .tmux:
            process = try start(
                ["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", script.path],
                on: terminal
            )
        case .screen: process = try start(["-c", "/dev/null", "-D", "-m", script.path], on: terminal)
        }
    }

    private static func script(_ name: String, _ line: String, in home: URL) throws -> URL {
        let script = home.appending(path: name)
        try Data("#!/bin/sh\nexec \(line)\n".utf8).write(to: script)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script.path)
        return script
    }

    /// Starts the part that stays, with nothing of this process: `Process` takes one that has a descriptor of it for
    /// running still.
    private func start(_ arguments: [String], on terminal: String) throws -> pid_t {
        var words = unsafe ([kind.rawValue] + place + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
        unsafe variables.append(nil)
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var process: pid_t = 0
        let failure = unsafe clinux_spawn_on_terminal(
            &process,
            terminal,
            -1,
            kind.executable?.path ?? kind.rawValue,
            words,
            variables
        )
        guard failure == 0 else { throw GuardedRun.TimedOut(description: "cannot start \(kind): \(failure)") }
        return process
    }

    /// Which of a person's sessions.
    private var place: [String] { kind == .tmux ? ["-L", "test"] : ["-S", "test"] }

    private var environment: [String: String] {
        [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "HOME": home.path, "XDG_DATA_HOME": home.path, "XDG_CONFIG_HOME": home.path,
            "TMUX_TMPDIR": home.path, "SCREENDIR": home.path,
        ].merging(Tool.ofBuild) { $1 }
    }

    /// Ends it and removes its files.
    func close() async {
        switch inner {
        case .tmux: _ = try? await ask(.tmux, ["-L", "inner", "kill-server"])
        case .screen: _ = try? await ask(.screen, ["-S", "inner", "-X", "quit"])
        case nil: break
        }
        switch kind {
        case .tmux: _ = try? await ask("kill-server")
        case .screen: _ = try? await ask("-X", "quit")
        }
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        Glibc.close(master)
        try? FileManager.default.removeItem(at: home)
    }

    /// What the window shows.
    func text() async throws -> String {
        switch kind {
        case .tmux: return try await ask("capture-pane", "-p")
        case .screen:
            let copy = home.appending(path: "copy")
            try await ask("-X", "hardcopy", copy.path)
            return (try? Data(contentsOf: copy)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    func type(_ text: String) async throws {
        switch kind {
        case .tmux: try await ask("send-keys", "-l", text)
        // GNU screen reads these as the beginning of something else.
        case .screen:
            let codes = ["\\": "\\134", "^": "\\136", "#": "\\043", "$": "\\044"]
            try await ask("-X", "stuff", text.map { codes[String($0)] ?? String($0) }.joined())
        }
    }

    /// Types a text, and once more after each pause, until the window shows what it should.
    func type(
        _ text: String,
        again pause: Duration,
        until what: String,
        isSo: (String) -> Bool
    ) async throws {
        var due = ContinuousClock.now
        try await wait(what, until: isSo) {
            guard ContinuousClock.now >= due else { return }
            due = ContinuousClock.now + pause
            try await type(text)
        }
    }

    /// Waits until the window shows what it should.
    ///
    /// - Parameter act: what is done before each look.
    func wait(
        _ what: String,
        until isSo: (String) -> Bool,
        doing act: () async throws -> Void = {}
    ) async throws {
        let start = ContinuousClock.now
        while true {
            try await act()
            let shown = try await text()
            // GNU screen may still be writing it.
            if shown.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= 24, isSo(shown) { return }
            guard ContinuousClock.now - start < .seconds(60) else {
                throw GuardedRun.TimedOut(description: "waited in vain for \(what) in \(kind):\n\(shown)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Splits the terminal of an inner GNU screen: another program in the upper region, the tool in the lower one.
    func splitInner() async throws {
        for command in [["screen", "sleep", "1000"], ["split"], ["focus"], ["select", "0"]] {
            _ = try await ask(.screen, ["-S", "inner", "-X"] + command)
        }
    }

    /// Has tmux show the window's history instead of the window.
    func lookBack() async throws { try await ask("copy-mode") }

    /// Whether tmux shows the window's history.
    var isLookingBack: Bool {
        get async throws { try await ask("display-message", "-p", "#{pane_in_mode}").hasPrefix("1") }
    }

    @discardableResult
    private func ask(_ arguments: String...) async throws -> String { try await ask(kind, place + arguments) }

    /// Off Swift's pool, which would wait.
    private func ask(_ kind: Kind, _ arguments: [String]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try askBlocking(kind, arguments) })
            }
        }
    }

    private func askBlocking(_ kind: Kind, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = kind.executable
        process.arguments = arguments
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try output.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
