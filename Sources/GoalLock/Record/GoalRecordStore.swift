internal import AdapterKit
internal import PortcullisCore

/// The one place where the goal lock's state is read and changed.
struct GoalRecordStore: Sendable {
    /// The state as it was found, or as it was written.
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

    /// The state, or `nil` when there never was one.
    func read() async throws(GoalError) -> GoalRecord? { try await item.read()?.value }

    /// The version that is there now.
    func version() async throws(GoalError) -> Version { Version(number: try await item.version()) }

    /// Reads, decides, and writes if the state has not changed since it was read; starts again otherwise.
    ///
    /// - Returns: the answer, and the version that it is about.
    func update<Answer: Sendable>(
        _ decide: (GoalRecord?) throws(GoalError) -> Change<Answer>
    ) async throws(GoalError) -> (answer: Answer, version: Version) {
        let (answer, version) = try await item.update(decide)
        return (answer, Version(number: version))
    }

    /// Puts a new state in the place of one that cannot be understood, in one step. One that can be
    /// understood, because another process has replaced it meanwhile, is left alone.
    ///
    /// - Returns: whether the new one is there.
    func replaceUnreadable(by record: GoalRecord) async throws(GoalError) -> Bool {
        var condition = WritePrecondition.none
        do throws(GoalError) {
            guard let version = try await item.version() else { return false }
            condition = .version(version)
            if try await item.read() != nil { return false }
        } catch {
            // What the store itself calls damaged has no version to compare.
            guard error.isAboutDamage else { throw error }
        }
        return try await item.write(record, if: condition) != nil
    }
}
