internal import PortcullisCore

/// The one place where a user's record is read and changed.
struct RecordStore: Sendable {
    /// What an update makes of a record.
    enum Change<Answer: Sendable>: Sendable {
        /// Write this record, then give the answer.
        case write(PasscodeRecord, Answer)
        /// Leave it as it is.
        case keep(Answer)
        /// Remove it, then give the answer.
        case remove(Answer)

        /// What leads from a record to another one, or to none.
        static func to(_ new: PasscodeRecord?, from found: PasscodeRecord?, _ answer: Answer) -> Self {
            if new == found { return .keep(answer) }
            return new.map { .write($0, answer) } ?? .remove(answer)
        }
    }

    let store: any SecretStore
    let name: SecretName
    let changes = RecordChanges()

    init(store: any SecretStore, user: UserID) {
        self.store = store
        // A user id is at most 256 bytes without control characters, so the name is always a valid one.
        self.name = PasscodeNames.record(of: user)
    }

    /// The record, or `nil` when no passcode is set.
    func read() async throws(PasscodeError) -> PasscodeRecord? {
        try await readVersioned()?.record
    }

    private func readVersioned() async throws(PasscodeError) -> (
        record: PasscodeRecord, version: SecretVersion
    )? {
        let stored: StoredSecret?
        do { stored = try await store.read(name) } catch { throw PasscodeError(error) }
        guard let stored else { return nil }
        return (try PasscodeRecord(decoding: stored.value), stored.version)
    }

    /// Reads, decides, and writes if the record has not changed since it was read; starts again otherwise.
    ///
    /// - Parameters:
    ///   - isAnnounced: whether those who follow the record's changes have to hear of this one.
    ///   - decide: may run several times and must depend on its argument alone.
    func update<Answer: Sendable>(
        isAnnounced: Bool = true,
        _ decide: (PasscodeRecord?) throws(PasscodeError) -> Change<Answer>
    ) async throws(PasscodeError) -> Answer {
        while true {
            let found = try await readVersioned()
            let precondition = found.map { WritePrecondition.version($0.version) } ?? .absent
            switch try decide(found?.record) {
            case .keep(let answer):
                return answer
            case .write(let record, let answer):
                if try await write(record, if: precondition, isAnnounced) { return answer }
            case .remove(let answer):
                if try await remove(if: precondition) { return answer }
            }
        }
    }

    private func write(
        _ record: PasscodeRecord,
        if condition: WritePrecondition,
        _ isAnnounced: Bool
    ) async throws(PasscodeError) -> Bool {
        let value = try record.encoded()
        var isMade = false
        defer { note(isMade && isAnnounced) }
        do {
            let outcome = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: condition
            )
            if case .written = outcome { isMade = true }
            return isMade
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Notes an attempt to change the record.
    ///
    /// One that failed counts as well, because some errors leave open whether the change was made. It is not
    /// announced: reading the status may write, and a write that fails would signal the reader to read again,
    /// without end.
    private func note(_ isAnnounced: Bool) { changes.note(isAnnounced: isAnnounced) }

    private func remove(if condition: WritePrecondition) async throws(PasscodeError) -> Bool {
        var isMade = false
        defer { note(isMade) }
        do {
            if case .conflict = try await store.remove(name, if: condition) { return false }
            isMade = true
            return true
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Removes the record whatever it holds, also one that cannot be understood.
    func erase() async throws(PasscodeError) {
        var isMade = false
        defer { note(isMade) }
        do { _ = try await store.remove(name, if: .none) } catch { throw PasscodeError(error) }
        isMade = true
    }
}
