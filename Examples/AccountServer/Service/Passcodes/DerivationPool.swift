internal import PortcullisCore
internal import Synchronization

/// Bounds how many requests wait for a key derivation, and lets each account derive one key at a time.
///
/// A derivation takes tens of milliseconds of a core and 19 MiB. Work that cannot be done soon is refused
/// before it is counted or written, so a refusal costs a person only the wait. Each account has few places
/// and one turn. So other accounts do not wait for a person with many connections, and right passcodes that
/// arrive at once do not count against each other.
final class DerivationPool: Sendable {
    private struct Waiting {
        var number: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// The requests of one account.
    private struct Line {
        var inside = 0
        var isBusy = false
        var waiting: [Waiting] = []
    }

    private struct State {
        var inside = 0
        var refused = 0
        var lines: [UserID: Line] = [:]
        var number: UInt64 = 0
    }

    private let capacity: Int
    private let capacityOfAccount: Int
    private let state = Mutex(State())

    /// A pool.
    ///
    /// - Parameters:
    ///   - capacity: how many requests the pool takes, including those at work.
    ///   - capacityOfAccount: how many of them for one account.
    init(capacity: Int, ofAccount capacityOfAccount: Int) {
        self.capacity = max(1, capacity)
        self.capacityOfAccount = max(1, capacityOfAccount)
    }

    /// How many requests are in the pool, and how many were refused so far.
    var load: (inside: Int, refused: Int) { state.withLock { ($0.inside, $0.refused) } }

    /// Whether a request of the account is in the pool.
    func isBusy(with account: UserID) -> Bool { state.withLock { $0.lines[account] != nil } }

    /// Does work that derives keys, or refuses it.
    ///
    /// - Parameter account: the account whose turn the work waits for; `nil` if it takes a turn later, or
    ///   none.
    /// - Throws: ``Problem/busy`` if the pool or the account's places are full; otherwise the error of the
    ///   work.
    func enter<Result>(for account: UserID?, _ work: () async throws -> Result) async throws -> Result {
        let isIn = state.withLock { state in
            guard state.inside < capacity else {
                state.refused += 1
                return false
            }
            state.inside += 1
            return true
        }
        guard isIn else { throw Problem.busy }
        defer { state.withLock { $0.inside -= 1 } }
        return try await turn(of: account, work)
    }

    /// Does some work when it is the account's turn.
    ///
    /// - Throws: ``Problem/busy`` if too many requests of the account wait; `CancellationError`; otherwise
    ///   the error of the work.
    func turn<Result>(of account: UserID?, _ work: () async throws -> Result) async throws -> Result {
        guard let account else { return try await work() }
        let isIn = state.withLock { state in
            guard state.lines[account]?.inside ?? 0 < capacityOfAccount else {
                state.refused += 1
                return false
            }
            state.lines[account, default: Line()].inside += 1
            return true
        }
        guard isIn else { throw Problem.busy }
        defer { leave(account) }
        try await wait(account)
        defer { pass(account) }
        return try await work()
    }

    private func wait(_ account: UserID) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.lines[account]?.isBusy != true {
                        state.lines[account]?.isBusy = true
                        return .success(())
                    }
                    state.lines[account]?.waiting.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { state -> Waiting? in
                guard let index = state.lines[account]?.waiting.firstIndex(where: { $0.number == number })
                else {
                    return nil
                }
                return state.lines[account]?.waiting.remove(at: index)
            }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Gives the turn to the account's next request.
    private func pass(_ account: UserID) {
        state.withLock { state -> Waiting? in
            guard let next = state.lines[account]?.waiting.first else {
                state.lines[account]?.isBusy = false
                return nil
            }
            state.lines[account]?.waiting.removeFirst()
            return next
        }?.continuation.resume()
    }

    private func leave(_ account: UserID) {
        state.withLock { state in
            state.lines[account]?.inside -= 1
            if state.lines[account]?.inside == 0 { state.lines[account] = nil }
        }
    }
}
