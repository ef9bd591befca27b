import CLinux
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import TerminalEmulator

@testable import TerminalHost

/// A pseudo-terminal with a person at it: what is drawn goes to a small terminal, and what is typed comes from the test.
final class PersonTerminal: Sendable {
    private struct Seen: Sendable {
        var emulator: TerminalEmulator
        var raw: [UInt8] = []
    }

    private let master: Int32
    private let slave: Int32
    private let seen: Mutex<Seen>
    private let wake: Wake
    let firstAttributes: String

    init(columns: Int = 80, rows: Int = 24) throws {
        var path = [CChar](repeating: 0, count: 128)
        master = unsafe clinux_open_pseudo_terminal(&path, path.count)
        let place = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        slave = unsafe open(place, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
        Descriptors.setNonBlocking(master)
        seen = Mutex(Seen(emulator: TerminalEmulator(columns: columns, rows: rows)))
        wake = try Wake()
        firstAttributes = Self.attributes(of: slave)
        try Threads.startAtOnce { [weak self, master, wake] in
            var wait = DescriptorWait()
            let place = wait.add(master)
            wait.add(wake.descriptor)
            while !wake.isRaised {
                _ = wait.wait()
                guard !wait[place].isEmpty, let self, self.read() else { return }
            }
        }
    }

    deinit {
        wake.raise()
        close(slave)
        close(master)
    }

    /// The terminal as a program in it has it.
    var terminal: Terminal { terminal(writingTo: slave) }

    /// The same with another output.
    func terminal(writingTo output: Int32) -> Terminal {
        Terminal(
            input: slave,
            output: output,
            environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"]
        )
    }

    /// Its descriptor.
    var descriptor: Int32 { slave }

    /// - Returns: whether there may be more.
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let reading = unsafe buffer.withUnsafeMutableBytes { unsafe Descriptors.read(master, into: $0) }
        guard case .bytes(let count) = reading else { return reading == .nothing }
        seen.withLock { seen in
            seen.emulator.write(buffer[..<count])
            seen.raw += buffer[..<count]
        }
        return true
    }

    /// As a terminal that hangs: what is written to it stays where it is.
    func stopReading() { wake.raise() }

    func type(_ text: String) { Descriptors.write(Array(text.utf8), to: master) }

    /// Shows a text that the program did not write.
    func show(_ text: String) { seen.withLock { $0.emulator.write(Array(text.utf8)[...]) } }

    func resize(columns: Int, rows: Int) {
        seen.withLock { $0.emulator.resize(columns: columns, rows: rows) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    var screen: TerminalEmulator { seen.withLock { $0.emulator } }
    var raw: String { seen.withLock { String(decoding: $0.raw, as: UTF8.self) } }
    /// The terminal's attributes, as text that can be compared.
    var attributes: String { Self.attributes(of: slave) }

    private static func attributes(of slave: Int32) -> String {
        var found = termios()
        _ = unsafe tcgetattr(slave, &found)
        return "\(found.c_iflag) \(found.c_oflag) \(found.c_cflag) \(found.c_lflag) \(found.c_cc)"
    }

    func wait(_ what: String, until isSo: (TerminalEmulator) -> Bool) async throws {
        do {
            try await BoundedWait.until(what, every: .milliseconds(5)) { isSo(screen) }
        } catch let error as BoundedWait.TimedOut {
            throw BoundedWait.TimedOut(description: "\(error)\n\(screen.text)")
        }
    }

    func wait(for text: String) async throws { try await wait("'\(text)'") { $0.text.contains(text) } }
}
