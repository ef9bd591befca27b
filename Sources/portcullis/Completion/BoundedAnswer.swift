internal import Dispatch
internal import Synchronization

/// An answer for a shell that waits for it.
enum BoundedAnswer {
    /// As long as a person waits for a key to have an effect.
    private static let patience = DispatchTimeInterval.milliseconds(2_000)

    /// What the work comes to, or nothing where it fails or takes too long: an error would be written into the middle
    /// of a line that is being typed. The process then ends, and with it the work.
    static func of(_ work: @escaping @Sendable () async throws -> [String]) -> [String] {
        let answer = Box()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            if let words = try? await work() { answer.words.withLock { $0 = words } }
            isDone.signal()
        }
        guard isDone.wait(timeout: .now() + patience) == .success else { return [] }
        return answer.words.withLock(\.self)
    }

    private final class Box: Sendable {
        let words = Mutex<[String]>([])
    }
}
