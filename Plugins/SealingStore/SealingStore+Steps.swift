internal import AdapterKit
internal import PortcullisCore

/// The operation in the underlying store that makes a change.
struct Step: Sendable {
    enum Kind: Sendable {
        /// Overwrites an item that has this number.
        case replace(UInt64)
        /// Overwrites an item that has this number and may lack a mark. This client has not seen the item, or
        /// has seen its removal. So the item may have been put back.
        case renew(UInt64)
        /// Writes an item that does not exist yet.
        case create
        /// Removes an item that has this number.
        case remove(UInt64)
        /// The change is a removal, and there is no item.
        case nothing
        /// The precondition does not hold. The value is the version that the item has; `nil` if the item does
        /// not exist.
        case refused(SecretVersion?)
    }

    let name: SecretName
    let place: Place
    let kind: Kind
    /// The precondition of the write or removal in the underlying store.
    let condition: WritePrecondition
    /// Whether the caller's change has no precondition. In that case a conflict in the underlying store is
    /// not returned, and the change is tried again.
    let asksNothing: Bool
}

extension SealingStore {
    /// Returns the step for a change. The item is read, except in two cases:
    /// - A write demands `absent`, and this client has seen no item or has seen the item's removal.
    /// - The demanded version is the version that this client has seen last.
    ///
    /// - Returns: the step; `nil` if the item was changed meanwhile, and must be read again.
    /// - Throws: the errors of the underlying store; `damaged` if a version is demanded of an item that does
    ///   not open; `rolledBack` if an item with the demanded version is an old one that was put back, or if a
    ///   write demands `absent` and the item is missing although it was not removed.
    func step(_ change: SecretChange, _ place: Place) async throws(SecretStoreError) -> Step? {
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
        if !isRemoval, asked == .absent, before?.isThere != true { return step(.create, .absent) }
        if case .version(let version) = asked, let before, before.isThere, before.version == version.rawValue
        {
            return step(isRemoval ? .remove(before.number) : .replace(before.number), asked)
        }
        func changing(_ number: UInt64) -> Step.Kind {
            if isRemoval { return .remove(number) }
            return before?.isThere == true ? .replace(number) : .renew(number)
        }
        let stored: StoredSecret?
        do throws(SecretStoreError) { stored = try await base.read(place.name) } catch {
            guard asked == .none, error.code.portable == .damaged else { throw error }
            guard let condition = try await conditionOverDamage(place) else { return nil }
            return step(changing(try await numberOverDamage(place, before)), condition)
        }
        guard asked.holds(for: stored?.version) else { return step(.refused(stored?.version), asked) }
        guard let stored else {
            // A caller may write with `absent` to do something only once. So, as in a read, an item that is
            // missing although it was never removed is an error.
            if !isRemoval, asked == .absent { try await checkAbsence(place, before) }
            return step(isRemoval ? .nothing : .create, .absent)
        }
        let number: UInt64
        if case .version = asked {
            guard let demanded = try await demandedNumber(of: stored, change.name, place, before) else {
                return nil
            }
            number = demanded
        } else {
            number = try await highestNumber(of: stored, change.name, place, before)
        }
        return step(changing(number), .version(stored.version))
    }

    /// Returns the precondition for a change of an item that the underlying store cannot read; `nil` if the
    /// item was removed meanwhile.
    ///
    /// A removal that demands `absent` changes nothing, and its conflict contains the item's version. If the
    /// underlying store cannot tell the version either, the change has no precondition. If another client
    /// changes the item at the same time, the item may then be `rolledBack` for that client until it is
    /// written again.
    private func conditionOverDamage(_ place: Place) async throws(SecretStoreError) -> WritePrecondition? {
        do throws(SecretStoreError) {
            if case .conflict(let version?) = try await base.remove(place.name, if: .absent) {
                return .version(version)
            }
            // The item was removed meanwhile, or the underlying store contradicts itself. If it contradicts
            // itself, this read throws `damaged` again.
            _ = try await base.read(place.name)
            return nil
        } catch {
            guard error.code.portable == .damaged else { throw error }
            return WritePrecondition.none
        }
    }
}
