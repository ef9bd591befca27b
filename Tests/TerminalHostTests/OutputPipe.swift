import Glibc
import LinuxSystem
import PortcullisTesting
import Synchronization
import Testing

/// A pipe as a run's output, and what was written into it.
final class OutputPipe: Sendable {
    /// The end for the run.
    let write: Int32
    private let read: Int32
    private let seen = Mutex<[UInt8]>([])

    init() throws {
        let pipe = try #require(Descriptors.makePipe())
        (read, write) = pipe
        // As a shell makes it.
        _ = fcntl(write, F_SETFL, 0)
    }

    deinit {
        close(read)
        close(write)
    }

    /// All that was written so far.
    var text: String {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        return seen.withLock { seen in
            while case .bytes(let count) = unsafe buffer.withUnsafeMutableBytes({
                unsafe Descriptors.read(read, into: $0)
            }) {
                seen += buffer[..<count]
            }
            return String(decoding: seen, as: UTF8.self)
        }
    }

    func wait(for text: String) async throws {
        do {
            try await BoundedWait.until("'\(text)'", every: .milliseconds(5)) { self.text.contains(text) }
        } catch let error as BoundedWait.TimedOut {
            throw BoundedWait.TimedOut(description: "\(error)\n\(self.text)")
        }
    }
}
