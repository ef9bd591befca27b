internal import PortcullisCore

/// The one place where the goal lock's state is read and changed.
struct GoalRecordStore: Sendable {
    /// The state as it was found, or as it was written.
    struct Version: Sendable, Equatable {
        let number: SecretVersion?
    }

    let store: any SecretStore

    /// The state, or `nil` when there never was one.
    func read() async throws(GoalError) -> (record: GoalRecord, version: Version)? {
        guard let stored = try await stored() else { return nil }
        return (try GoalRecord(decoding: stored.value), Version(number: stored.version))
    }

    /// The version that is there now.
    func version() async throws(GoalError) -> Version {
        Version(number: try await stored()?.version)
    }

    private func stored() async throws(GoalError) -> StoredSecret? {
        do { return try await store.read(GoalNames.record) } catch { throw GoalError(error) }
    }

    /// Writes the state if it has not changed since it was read.
    ///
    /// - Returns: the new version, or `nil` when it has.
    func write(_ record: GoalRecord, over version: Version) async throws(GoalError) -> Version? {
        try await write(record.encoded(), if: version.number.map { .version($0) } ?? .absent)
    }

    /// Puts a new state in the place of one that cannot be understood, in one step. One that can be
    /// understood, because another process has replaced it meanwhile, is left alone.
    ///
    /// - Returns: whether the new one is there.
    func replaceUnreadable(by record: GoalRecord) async throws(GoalError) -> Bool {
        let value = try record.encoded()
        var condition = WritePrecondition.none
        do throws(GoalError) {
            guard let stored = try await stored() else { return false }
            condition = .version(stored.version)
            _ = try GoalRecord(decoding: stored.value)
            return false
        } catch {
            // What the store itself calls damaged has no version to compare.
            guard error.isAboutDamage else { throw error }
        }
        return try await write(value, if: condition) != nil
    }

    private func write(
        _ value: SecretBytes,
        if condition: WritePrecondition
    ) async throws(GoalError) -> Version? {
        do {
            let outcome = try await store.write(
                value,
                to: GoalNames.record,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: condition
            )
            guard case .written(let number) = outcome else { return nil }
            return Version(number: number)
        } catch {
            throw GoalError(error)
        }
    }
}
