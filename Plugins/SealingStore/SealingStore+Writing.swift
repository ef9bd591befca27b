internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Seals and writes one item, if the precondition holds.
    ///
    /// - Throws: the errors of the underlying store; `rolledBack` or `damaged` if the numbers of the item or
    ///   its floor cannot be trusted. If the precondition is a version, also `rolledBack` or `damaged` as a
    ///   read of the item throws them.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let change = SecretChange.write(value, to: name, accessibility: accessibility, if: precondition)
        let place = try names.place(of: name)
        let key = keyring.beginWrite()
        defer { keyring.endWrite(key) }
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> WriteOutcome? in
            guard let step = try await step(change, place) else { return nil }
            switch step.kind {
            case .replace(let number):
                return try await replace(value, step, number: number + 1, accessibility)
            case .create, .renew:
                return try await create(value, step, accessibility)
            case .refused(let current): return .conflict(current: current)
            case .remove, .nothing: preconditionFailure("a write is not a removal")
            }
        }
    }

    private func replace(
        _ value: SecretBytes,
        _ step: Step,
        number: UInt64,
        _ accessibility: Accessibility
    ) async throws(SecretStoreError) -> WriteOutcome? {
        let sealed = try seal(value, number, accessibility, step.name, step.place)
        let outcome = try await base.write(
            sealed,
            to: step.place.name,
            accessibility: accessibility,
            if: step.condition
        )
        switch outcome {
        case .written(let version):
            try seen.note(step.place.tag, sealed, number: number, version: version)
            return outcome
        case .conflict: return step.asksNothing ? nil : outcome
        }
    }

    private func create(
        _ value: SecretBytes,
        _ step: Step,
        _ accessibility: Accessibility
    ) async throws(SecretStoreError) -> WriteOutcome? {
        let place = step.place
        guard let batches else {
            var new: UInt64 = 0
            _ = try await raiseFloor(place.bucket) { floor in
                let (number, isDrawn) = self.number(for: step, &floor)
                new = number
                return isDrawn
            }
            return try await replace(value, step, number: new, accessibility)
        }
        var floor = try await floor(place.bucket)
        let (number, isDrawn) = self.number(for: step, &floor)
        guard isDrawn else { return try await replace(value, step, number: number, accessibility) }
        let sealed = try seal(value, number, accessibility, step.name, place)
        let changes: [SecretChange] = [
            .write(sealed, to: place.name, accessibility: accessibility, if: step.condition),
            try change(floor, place.bucket),
        ]
        let outcome = try await batches.commit(changes)
        switch outcome {
        case .committed(let versions):
            guard let version = versions.first ?? nil else { throw .damaged("a write below has no version") }
            try note(changes[0], place.tag, number, version)
            try note(changes[1], floorTag(place.bucket), number, versions.last ?? nil)
            return .written(version)
        case .conflict(let current):
            // If the item itself has no conflict, another client has raised the floor meanwhile, and the
            // write is tried again. It is also tried again if the caller's change has no precondition.
            guard let there = current[place.name], !step.asksNothing else { return nil }
            return .conflict(current: there)
        }
    }

    /// Notes a change that the underlying store has acknowledged.
    func note(
        _ change: SecretChange,
        _ tag: NameTag,
        _ number: UInt64,
        _ version: SecretVersion?
    ) throws(SecretStoreError) {
        switch change {
        case .write(let sealed, _, _, _): try seen.note(tag, sealed, number: number, version: version)
        case .remove: seen.noteRemoval(tag, of: number)
        }
    }

    /// Removes one item, if the precondition holds.
    ///
    /// - Throws: the errors of the underlying store; `classLocked` if the item's class is locked and the
    ///   item's number has to be read; `rolledBack` or `damaged` if the numbers of the item or its floor
    ///   cannot be trusted. If the precondition is a version, also `rolledBack` or `damaged` as a read of the
    ///   item throws them.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        let place = try names.place(of: name)
        let key = keyring.beginWrite()
        defer { keyring.endWrite(key) }
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> RemoveOutcome? in
            guard let step = try await step(.remove(name, if: precondition), place) else { return nil }
            switch step.kind {
            case .remove(let number): return try await remove(step, number)
            case .nothing: return .absent
            case .refused(let current): return .conflict(current: current)
            case .create, .renew, .replace: preconditionFailure("a removal is not a write")
            }
        }
    }

    private func remove(_ step: Step, _ number: UInt64) async throws(SecretStoreError) -> RemoveOutcome? {
        let place = step.place
        let outcome: RemoveOutcome
        if let batches {
            var floor = try await floor(place.bucket)
            if floor.note(removalOf: number, of: place.tag) {
                let changes = [.remove(place.name, if: step.condition), try change(floor, place.bucket)]
                switch try await batches.commit(changes) {
                case .committed(let versions):
                    try note(changes[1], floorTag(place.bucket), floor.number, versions.last ?? nil)
                    outcome = .removed
                case .conflict(let current):
                    guard let there = current[place.name] else { return nil }
                    outcome = .conflict(current: there)
                }
            } else {
                // The item has no mark, and the floor's number is at least as high as the item's. So the
                // floor shows the removal already, and is not written.
                outcome = try await base.remove(place.name, if: step.condition)
            }
        } else {
            // The removal is noted in the floor (see `Floor`) before the item is removed. If the process ends
            // between the two writes, the item is still there and can be read. If the item is missing later,
            // this does not count as `rolledBack`, because its removal was requested.
            _ = try await raiseFloor(place.bucket) { $0.note(removalOf: number, of: place.tag) }
            outcome = try await base.remove(place.name, if: step.condition)
        }
        if case .conflict = outcome { return step.asksNothing ? nil : outcome }
        seen.noteRemoval(place.tag, of: number)
        return outcome
    }
}
