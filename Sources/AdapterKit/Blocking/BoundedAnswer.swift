internal import Dispatch
internal import Synchronization

/// Provides the result of asynchronous work to a caller that is not asynchronous. The caller's thread is
/// blocked until the work has ended or a time limit is reached. An example of such a caller is the code that
/// completes a word for a shell.
package enum BoundedAnswer: Sendable {
    /// Returns the result of the work; `nil` if the work throws or takes longer than this number of
    /// milliseconds. Work that takes longer continues in the background.
    ///
    /// The call blocks its thread, so a task must not call it.
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

    /// Holds the answer as soon as there is one.
    final class Box<Answer: Sendable>: Sendable {
        let answer = Mutex<Answer?>(nil)
    }
}
