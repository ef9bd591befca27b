import Dispatch
import Foundation

/// The least that a durable write can cost: bytes appended to a file, and `fdatasync`.
///
/// Its users wait for each other's puts, so nothing of it is used twice at a time.
final class RawFile: @unchecked Sendable {
    private let file: Int32
    private let bytes: [UInt8]
    private var end: Int

    /// - Parameter size: how many bytes ours writes for an item.
    init(_ path: String, size: Int) throws {
        file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw MeasuringFailed("open: \(errno)") }
        bytes = Items.value(size)
        end = 0
    }

    func fill(_ count: Int) throws {
        for _ in 0..<count { try append() }
        guard fsync(file) == 0 else { throw MeasuringFailed("fsync: \(errno)") }
    }

    private func append() throws {
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress!, $0.count, end) }
        guard written == bytes.count else { throw MeasuringFailed("pwrite: \(errno)") }
        end += written
    }

    func put(_ index: Int, _ value: [UInt8]) throws {
        try append()
        guard fdatasync(file) == 0 else { throw MeasuringFailed("fdatasync: \(errno)") }
    }

    /// The same on another thread, with the caller's task suspended meanwhile.
    func put(_ index: Int, _ value: [UInt8], on thread: DispatchQueue) async throws {
        let result = await withCheckedContinuation { continuation in
            thread.async { continuation.resume(returning: Result { try self.put(index, value) }) }
        }
        try result.get()
    }

    func close() { _ = Foundation.close(file) }
}
