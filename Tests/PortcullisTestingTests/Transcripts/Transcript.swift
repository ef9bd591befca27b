import Synchronization

/// What a clause asks of an adapter and is answered, in order.
///
/// One answer can be given otherwise than the adapter gave it. A clause that is kept all the same takes no notice of
/// that answer.
final class Transcript: Sendable {
    struct Entry: Sendable {
        var text: String
        /// What could have been answered instead.
        var others: [String] = []
    }

    private struct State {
        var entries: [Entry] = []
        var turns = 0
        var names: [String] = []
        var unordered: Set<String> = []
    }

    private let state = Mutex(State())
    private let bentTurn: Int?
    private let hasAnswers: Bool

    /// - Parameters:
    ///   - bentTurn: which of all other answers is given instead of the adapter's; `nil`: none.
    ///   - hasAnswers: whether answers are written down; not where they depend on the order of tasks.
    init(bending bentTurn: Int? = nil, hasAnswers: Bool = true) {
        self.bentTurn = bentTurn
        self.hasAnswers = hasAnswers
    }

    var entries: [Entry] { state.withLock { $0.entries } }

    func note(_ text: String) { state.withLock { $0.entries.append(Entry(text: text)) } }

    /// Writes down a question with its answer.
    ///
    /// - Returns: the answer, or one of the others when it is that one's turn.
    func answer<Answer>(
        _ question: String,
        _ answer: Answer,
        as text: String,
        or others: [(String, Answer)] = []
    ) -> Answer {
        guard hasAnswers else {
            note(question)
            return answer
        }
        let bent = state.withLock { state -> Int? in
            let first = state.turns
            state.turns += others.count
            state.entries.append(Entry(text: "\(question): \(text)", others: others.map(\.0)))
            return bentTurn.map { $0 - first }.flatMap { others.indices.contains($0) ? $0 : nil }
        }
        return bent.map { others[$0].1 } ?? answer
    }

    /// Makes a call, and writes down how it ended.
    func call<Answer, Failure: Error>(
        _ question: String,
        as text: (Answer) -> String,
        or others: (Result<Answer, Failure>) -> [(String, Result<Answer, Failure>)],
        _ work: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure>
        do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
        let seen =
            switch result {
            case .success(let answer): text(answer)
            case .failure(let error): "\(error)"
            }
        return try answer(question, result, as: seen, or: others(result)).get()
    }

    /// A short name for a value that is another one in each run: the first is 1.
    func number(of value: String) -> Int {
        state.withLock { state in
            if let index = state.names.firstIndex(of: value) { return index + 1 }
            state.names.append(value)
            return state.names.count
        }
    }

    /// The number of a value, or, where the order of tasks decides which is the first, one name for all.
    func name(of value: String) -> String {
        if hasAnswers { return "\(number(of: value))" }
        state.withLock { _ = $0.unordered.insert(value) }
        return "of many"
    }

    /// How many values have one name for all.
    var unorderedValues: Int { state.withLock { $0.unordered.count } }
}

extension Result {
    /// What else a call without an answer can do: fail, fail otherwise, or not fail.
    func others(_ failure: Failure, _ another: Failure) -> [(String, Self)] where Success == Void {
        switch self {
        case .success: [("an error", .failure(failure))]
        case .failure: [("another error", .failure(another)), ("no error", .success(()))]
        }
    }
}
