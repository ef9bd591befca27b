internal import Foundation
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The terminal that the app draws on, put into raw mode and back.
struct DeskTerminal: Sendable {
    private let attributes: termios

    /// The terminal of standard input and output; `nil` where that is none.
    init?() {
        var found = termios()
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            unsafe tcgetattr(STDIN_FILENO, &found) == 0
        else { return nil }
        attributes = found
    }

    /// The size; 80×24 where nobody knows.
    var size: TerminalSize {
        var window = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0,
            window.ws_row > 0
        else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// What it can show, as the environment says.
    var abilities: TerminalAbilities {
        let environment = ProcessInfo.processInfo.environment
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return TerminalAbilities(
            colours: environment["NO_COLOR", default: ""].isEmpty,
            unicode: locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        )
    }

    /// An empty screen of its own, keys as they come, the mouse, and word of the window's focus.
    func enter() {
        var raw = attributes
        unsafe cfmakeraw(&raw)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        write(
            "\u{1B}[?1049h\u{1B}[2J\u{1B}[?25l\u{1B}[?7l\u{1B}[?1004h\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
        )
    }

    /// As it was.
    func leave() {
        write(
            "\u{1B}[0m\u{1B}[2J\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?1004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        )
        var attributes = attributes
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes all of it; a terminal that is gone is noticed where keys are read.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Self.write($0) }
            guard count > 0 else {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        unsafe Musl.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        #else
        unsafe Darwin.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }

    /// Reads keys on a thread of its own until the terminal is gone; the last event is `nil` then.
    func readKeys(_ deliver: @escaping @Sendable (TerminalEvent?) -> Void) {
        Thread.detachNewThread {
            var decoder = InputDecoder()
            // Passcodes pass through here: it is zeroed after each read.
            var bytes = [UInt8](repeating: 0, count: 256)
            while true {
                if let patience = decoder.patience, !Self.waits(patience) {
                    if let event = decoder.giveUp() { deliver(event) }
                    continue
                }
                let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return deliver(nil) }
                decoder.decode(bytes.span.extracting(0..<count)) { event, _ in deliver(event) }
                for index in 0..<count { bytes[index] = 0 }
            }
        }
    }

    /// Whether something comes within a time.
    private static func waits(_ patience: Duration) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&input, 1, Int32(patience / .milliseconds(1))) > 0
    }
}
