internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// The one place where a user's record is read and changed.
struct RecordStore: Sendable {
    typealias Change<Answer: Sendable> = StoredValue<PasscodeRecord, PasscodeError>.Change<Answer>

    /// The record as it was read or written last, for the next change of it: a write asks for its version.
    private final class Latest: Sendable {
        private let state = Mutex<(value: PasscodeRecord, version: SecretVersion)?>(nil)

        var record: (value: PasscodeRecord, version: SecretVersion)? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    let changes = RecordChanges()
    private let latest = Latest()
    private let item: StoredValue<PasscodeRecord, PasscodeError>

    init(store: any SecretStore, user: UserID) {
        // A user id is at most 256 bytes without control characters, so the name is always a valid one.
        item = StoredValue(
            PasscodeNames.record(of: user),
            in: store,
            coding: .init(
                encode: { record throws(PasscodeError) in try record.encoded() },
                decode: { value throws(PasscodeError) in try PasscodeRecord(decoding: value) },
                failed: { PasscodeError($0) }
            )
        )
    }

    /// The record, or `nil` when no passcode is set.
    func read() async throws(PasscodeError) -> PasscodeRecord? {
        let found = try await item.read()
        latest.record = found
        return found?.value
    }

    /// The record as it was seen last, which may be out of date; `nil` where none is known.
    var remembered: PasscodeRecord? { latest.record?.value }

    /// Decides on the record as it was seen last, or read, and writes if it has not changed since; starts again otherwise.
    ///
    /// An attempt that failed counts as a change as well, because some errors leave open whether it was made. It is not
    /// announced: reading the status may write, and a write that fails would signal the reader to read again, without
    /// end.
    ///
    /// - Parameters:
    ///   - isAnnounced: whether those who follow the record's changes have to hear of this one.
    ///   - decide: may run several times and must depend on its argument alone.
    func update<Answer: Sendable>(
        isAnnounced: Bool = true,
        _ decide: (PasscodeRecord?) throws(PasscodeError) -> Change<Answer>
    ) async throws(PasscodeError) -> Answer {
        let known = latest.record
        // Where this throws it is not known what there is.
        latest.record = nil
        var record: PasscodeRecord?
        let (answer, version) = try await item.update(
            known: known,
            attempted: { changes.note(isAnnounced: $0 && isAnnounced) },
            { found throws(PasscodeError) in
                let change = try decide(found)
                record = if case .write(let new, _) = change { new } else { found }
                return change
            }
        )
        if let record, let version { latest.record = (record, version) }
        return answer
    }

    /// Removes the record whatever it holds, also one that cannot be understood.
    func erase() async throws(PasscodeError) {
        latest.record = nil
        try await item.erase { changes.note(isAnnounced: $0) }
    }
}

extension StoredValue.Change where Value == PasscodeRecord {
    /// What leads from a record to another one, or to none.
    static func to(_ new: PasscodeRecord?, from found: PasscodeRecord?, _ answer: Answer) -> Self {
        if new == found { return .keep(answer) }
        return new.map { .write($0, answer) } ?? .remove(answer)
    }
}
