#if HummingbirdLock
import Foundation
import WebBrowser

/// A connection of which a test sees each byte, and when it came.
final class RawConnection: Sendable {
    private let connection: LocalConnection

    /// A test that gets no answer fails, and waits for none.
    init(port: Int) throws { connection = try LocalConnection(port, limit: 30) }

    func ask(_ text: String) throws { try connection.write(Array(text.utf8)) }

    /// Says that nothing more is asked, as the end of a reader does.
    func end() { connection.endWriting() }

    /// Some of what comes; empty after the end, and where nothing comes for too long.
    private func next() -> ArraySlice<UInt8> { (try? connection.read()) ?? [] }

    /// How many bytes came, and when the last of them did.
    func readToEnd() async -> (bytes: Int, last: ContinuousClock.Instant) {
        await onThread { self.readingToEnd() }
    }

    /// Reads what came, and returns whether the connection then ended. One that stays open is waited for until the limit.
    func ends() async -> Bool {
        await onThread {
            var last = ContinuousClock.now
            while !self.next().isEmpty { last = .now }
            return ContinuousClock.now - last < .seconds(10)
        }
    }

    /// What comes up to a text, that included.
    func read(until text: String) async -> String {
        await onThread { String(decoding: self.reading(until: text), as: UTF8.self) }
    }

    /// On a thread of its own: Swift's pool has too few for those that wait.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    private func readingToEnd() -> (bytes: Int, last: ContinuousClock.Instant) {
        var (bytes, last) = (0, ContinuousClock.now)
        while true {
            let part = next()
            if part.isEmpty { return (bytes, last) }
            bytes += part.count
            last = ContinuousClock.now
        }
    }

    private func reading(until text: String) -> Data {
        let text = Data(text.utf8)
        var found = Data()
        while true {
            let part = next()
            // The text may have begun in an earlier part.
            let start = max(0, found.count - text.count)
            found += part
            if part.isEmpty || found.range(of: text, in: start..<found.count) != nil { return found }
        }
    }
}
#endif
