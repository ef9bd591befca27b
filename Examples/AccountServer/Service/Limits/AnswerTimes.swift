package import PortcullisCore

/// Gives answers at whole steps of time after their work began.
///
/// Reading an account's record takes some microseconds, and adding a mail takes some more. Without the steps,
/// the time of an answer would tell whether there is an account. Work that takes longer than one step is
/// answered after two, and so on.
package struct AnswerTimes: Sendable {
    let clock: any LockClock
    let step: Duration

    /// - Parameters:
    ///   - clock: measures the time.
    ///   - step: the length of a step. Nearly all work takes less.
    package init(clock: any LockClock, step: Duration) {
        self.clock = clock
        self.step = step
    }

    /// Does work that begins now. The request has to be read whole before this call. Otherwise its sender
    /// could choose where in a step the work ends.
    package func evenly<Answer>(_ work: () async throws -> Answer) async throws -> Answer {
        let begin = clock.now.sinceBoot
        let result: Result<Answer, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        let steps = ((clock.now.sinceBoot - begin) / step).rounded(.up)
        try await clock.sleep(until: .sinceBoot(begin + step * steps))
        return try result.get()
    }
}
