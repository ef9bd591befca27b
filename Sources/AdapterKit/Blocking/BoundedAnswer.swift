internal import Dispatch
internal import Synchronization

/// An answer for a caller that blocks until it comes, such as a shell that completes a word.
package enum BoundedAnswer: Sendable {
    /// What the work comes to; `nil` where it fails or takes longer than this. Work that takes longer goes on by itself.
    ///
    /// It blocks a thread, and so is no call for a task.
    package static func of<Answer: Sendable>(
        within milliseconds: Int,
        _ work: @escaping @Sendable () async throws -> Answer
    ) -> Answer? {
        let box = Box<Answer>()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            if let answer = try? await work() { box.answer.withLock { $0 = answer } }
            isDone.signal()
        }
        guard isDone.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        return box.answer.withLock(\.self)
    }

    private final class Box<Answer: Sendable>: Sendable {
        let answer = Mutex<Answer?>(nil)
    }
}
