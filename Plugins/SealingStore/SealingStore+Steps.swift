internal import AdapterKit
internal import PortcullisCore

/// What a change comes down to below.
struct Step: Sendable {
    enum Kind: Sendable {
        /// Over an item with this number.
        case replace(UInt64)
        /// Where there is none.
        case create
        /// Of an item with this number.
        case remove(UInt64)
        /// There is nothing to remove.
        case nothing
        /// The precondition does not hold, because this is there.
        case refused(SecretVersion?)
    }

    let name: SecretName
    let place: Place
    let kind: Kind
    /// What must still hold when it is made.
    let condition: WritePrecondition
    /// Whether the caller has a precondition of its own; otherwise a conflict is no answer.
    let asksNothing: Bool
}

extension SealingStore {
    /// What a change comes down to; the item is read where its number is not known.
    func step(_ change: SecretChange, _ place: Place) async throws(SecretStoreError) -> Step {
        let asked = change.precondition
        func step(_ kind: Step.Kind, _ condition: WritePrecondition) -> Step {
            Step(
                name: change.name,
                place: place,
                kind: kind,
                condition: condition,
                asksNothing: asked == .none
            )
        }
        let isRemoval =
            switch change {
            case .remove: true
            case .write: false
            }
        let before = seen[place.tag]
        if !isRemoval, asked == .absent { return step(.create, .absent) }
        if case .version(let version) = asked, let before, before.isThere, before.version == version.rawValue
        {
            return step(isRemoval ? .remove(before.number) : .replace(before.number), asked)
        }
        let stored = try await base.read(place.name)
        guard asked.holds(for: stored?.version) else { return step(.refused(stored?.version), asked) }
        guard let stored else { return step(isRemoval ? .nothing : .create, .absent) }
        let number = try await highestNumber(of: stored, change.name, place, before)
        return step(isRemoval ? .remove(number) : .replace(number), .version(stored.version))
    }
}
