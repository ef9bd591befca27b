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

    /// Writes the state if nobody else wrote since it was read.
    ///
    /// - Returns: the new version, or `nil` when somebody did.
    func write(_ record: GoalRecord, over version: Version) async throws(GoalError) -> Version? {
        let value = try record.encoded()
        do {
            let outcome = try await store.write(
                value,
                to: GoalNames.record,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: version.number.map { .version($0) } ?? .absent
            )
            guard case .written(let number) = outcome else { return nil }
            return Version(number: number)
        } catch {
            throw GoalError(error)
        }
    }

    /// Removes the state whatever it holds, also when it cannot be understood.
    func erase() async throws(GoalError) {
        do { _ = try await store.remove(GoalNames.record, if: .none) } catch { throw GoalError(error) }
    }
}
