internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Reads and changes a user's record. All access to the record goes through this value.
struct RecordStore: Sendable {
    typealias Change<Answer: Sendable> = StoredValue<PasscodeRecord, PasscodeError>.Change<Answer>

    /// A record on the heap. The frames of asynchronous calls hold only a pointer to the record. If the
    /// frames held the record itself, one update would take 30 kB. A task that lives as long as a session
    /// would keep that memory.
    private final class Shared: Sendable {
        let record: PasscodeRecord

        init(_ record: PasscodeRecord) { self.record = record }
    }

    /// The record that was read or written last, with its version. The next write succeeds only if the store
    /// still holds that version.
    private final class Latest: Sendable {
        private let state = Mutex<(value: Shared, version: SecretVersion)?>(nil)

        var record: (value: Shared, version: SecretVersion)? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    let changes = RecordChanges()
    private let latest = Latest()
    private let item: StoredValue<Shared, PasscodeError>

    init(store: any SecretStore, user: UserID) {
        // A user id has at most 256 bytes and no control characters, so the name is always valid.
        item = StoredValue(
            PasscodeNames.record(of: user),
            in: store,
            coding: .init(
                encode: { shared throws(PasscodeError) in try shared.record.encoded() },
                decode: { value throws(PasscodeError) in Shared(try PasscodeRecord(decoding: value)) },
                failed: { PasscodeError($0) }
            )
        )
    }

    /// The record, or `nil` when no passcode is set.
    func read() async throws(PasscodeError) -> PasscodeRecord? {
        let found = try await item.read()
        latest.record = found
        return found?.value.record
    }

    /// The record that was read or written last; `nil` if no record is known. The record may be out of date.
    var remembered: PasscodeRecord? { latest.record?.value.record }

    /// Decides on a change of the record, and writes the change. The act of the calling task notes the sealed
    /// keys that the change takes out of the record.
    ///
    /// The first decision is made on the remembered record. If no record is remembered, or if this decision
    /// changes nothing or throws, the stored record is read and decided on. A write succeeds only if the
    /// stored record has not changed meanwhile. Otherwise the update starts again.
    ///
    /// A failed attempt to write counts as a change too, because some errors leave open whether the write was
    /// made. But a failed attempt is not announced to the readers. A session's read may itself write, such as
    /// to switch biometrics off. If a failure of that write were announced, the session would read again,
    /// without end.
    ///
    /// - Parameters:
    ///   - isAnnounced: whether the change is announced to the readers of the record.
    ///   - decide: decides on the change. It may run several times and must depend on its argument alone.
    func update<Answer: Sendable>(
        isAnnounced: Bool = true,
        _ decide: (PasscodeRecord?) throws(PasscodeError) -> Change<Answer>
    ) async throws(PasscodeError) -> Answer {
        let known = latest.record
        // The remembered record is dropped first, because the stored record is unknown if the update throws.
        latest.record = nil
        var record: Shared?
        let (answer, version) = try await item.update(
            known: known,
            attempted: { changes.note(isAnnounced: $0 && isAnnounced) },
            { found throws(PasscodeError) in
                switch try decide(found?.record) {
                case .write(let new, let answer):
                    SealsOfAct.current?.replaced(found?.record, by: new)
                    let new = Shared(new)
                    record = new
                    return .write(new, answer)
                case .keep(let answer):
                    record = found
                    return .keep(answer)
                case .remove(let answer):
                    SealsOfAct.current?.replaced(found?.record, by: nil)
                    record = nil
                    return .remove(answer)
                }
            }
        )
        if let record, let version { latest.record = (record, version) }
        return answer
    }

    /// Removes the record, even one that cannot be understood.
    func erase() async throws(PasscodeError) {
        latest.record = nil
        try await item.erase { changes.note(isAnnounced: $0) }
    }
}

extension StoredValue.Change where Value == PasscodeRecord {
    /// Makes the change from the stored record `found` to the record `new`. If `new` is `nil`, the change
    /// removes the stored record. If both are equal, the change writes nothing.
    static func to(_ new: PasscodeRecord?, from found: PasscodeRecord?, _ answer: Answer) -> Self {
        if new == found { return .keep(answer) }
        return new.map { .write($0, answer) } ?? .remove(answer)
    }
}
