internal import AdapterKit
internal import PortcullisCore

/// Reads and changes the goal lock's state. All access to the state goes through this value.
struct GoalRecordStore: Sendable {
    /// The version of the state that was read or written. Its number is `nil` if there was no state.
    struct Version: Sendable, Equatable {
        let number: SecretVersion?
    }

    typealias Change<Answer: Sendable> = StoredValue<GoalRecord, GoalError>.Change<Answer>

    private let item: StoredValue<GoalRecord, GoalError>

    init(store: any SecretStore) {
        item = StoredValue(
            GoalNames.record,
            in: store,
            coding: .init(
                encode: { record throws(GoalError) in try record.encoded() },
                decode: { value throws(GoalError) in try GoalRecord(decoding: value) },
                failed: { GoalError($0) }
            )
        )
    }

    /// Reads the state. The result is `nil` if no state was ever stored.
    func read() async throws(GoalError) -> GoalRecord? { try await item.read()?.value }

    /// Reads the state's current version.
    func version() async throws(GoalError) -> Version { Version(number: try await item.version()) }

    /// Reads the state, calls `decide`, and writes the result if the state has not changed meanwhile. If the
    /// state has changed, the call starts again.
    ///
    /// - Returns: the answer, and the version of the state that the answer is about.
    func update<Answer: Sendable>(
        _ decide: (GoalRecord?) throws(GoalError) -> Change<Answer>
    ) async throws(GoalError) -> (answer: Answer, version: Version) {
        let (answer, version) = try await item.update(decide)
        return (answer, Version(number: version))
    }

    /// Replaces a state that cannot be understood, in one step. If another process has already replaced it by
    /// a readable state, that state is kept.
    ///
    /// - Returns: whether the new state was written.
    func replaceUnreadable(by record: GoalRecord) async throws(GoalError) -> Bool {
        var condition = WritePrecondition.none
        do throws(GoalError) {
            guard let version = try await item.version() else { return false }
            condition = .version(version)
            if try await item.read() != nil { return false }
        } catch {
            // Only an error about damage lets the state be replaced. If reading the version reported the
            // damage, the condition stays `none`, because there is no version to compare.
            guard error.isAboutDamage else { throw error }
        }
        return try await item.write(record, if: condition) != nil
    }
}
