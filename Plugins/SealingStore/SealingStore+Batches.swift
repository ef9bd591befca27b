internal import AdapterKit
public import PortcullisCore

extension SealingStore: TransactionalSecretStore where Base: TransactionalSecretStore {
    /// Reads and opens several items as they are at one moment.
    ///
    /// - Throws: `damaged` if a value does not open; `rolledBack` if this client has seen a newer state of an
    ///   item; the errors of the underlying store.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        var places: [Place] = []
        for name in names { places.append(try self.names.place(of: name)) }
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> [StoredSecret?]? in
            let before = places.map { seen[$0.tag] }
            let found = try await base.read(places.map(\.name))
            guard found.count == names.count else { throw .otherCountBelow }
            var items: [StoredSecret?] = []
            for (index, stored) in found.enumerated() {
                guard let item = try await opened(stored, names[index], places[index], before[index]) else {
                    return nil
                }
                items.append(item)
            }
            return items
        }
    }

    /// Makes all changes or none, and changes the floors in the same commit.
    ///
    /// - Throws: the errors of the underlying store; `invalidName` if a name occurs twice; `rolledBack` or
    ///   `damaged` if the numbers of the items or floors cannot be trusted. If the precondition of a change
    ///   is a version, also `rolledBack` or `damaged` as a read of the item throws them.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        guard Set(changes.map(\.name)).count == changes.count else {
            throw SecretStoreError(code: .invalidName, message: "a batch names an item twice")
        }
        var places: [Place] = []
        for change in changes { places.append(try names.place(of: change.name)) }
        let key = keyring.beginWrite()
        defer { keyring.endWrite(key) }
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> CommitOutcome? in
            var steps: [Step] = []
            for (change, place) in zip(changes, places) {
                guard let step = try await step(change, place) else { return nil }
                steps.append(step)
            }
            let isRefused = steps.contains { step in
                if case .refused = step.kind { true } else { false }
            }
            return isRefused ? try await conflicts(steps, changes) : try await attempt(changes, steps)
        }
    }

    /// Reads the items again and returns the conflict; `nil` if every precondition holds by now.
    private func conflicts(
        _ steps: [Step],
        _ changes: [SecretChange]
    ) async throws(SecretStoreError) -> CommitOutcome? {
        var found: [SecretName: SecretVersion?] = [:]
        // A change without a precondition has no conflict, and its item may be one that cannot be read.
        for (step, change) in zip(steps, changes) where !step.asksNothing {
            let current = try await base.read(step.place.name)?.version
            if !change.precondition.holds(for: current) { found.updateValue(current, forKey: change.name) }
        }
        return found.isEmpty ? nil : .conflict(found)
    }

    private func attempt(
        _ changes: [SecretChange],
        _ steps: [Step]
    ) async throws(SecretStoreError) -> CommitOutcome? {
        var floors: [Int: Floor] = [:]
        var numbers: [UInt64] = []
        var below: [SecretChange] = []
        for (change, step) in zip(changes, steps) {
            let number = try await number(for: step, &floors)
            numbers.append(number)
            switch change {
            case .write(let value, let name, let accessibility, _):
                let sealed = try seal(value, number, accessibility, name, step.place)
                below.append(
                    .write(sealed, to: step.place.name, accessibility: accessibility, if: step.condition)
                )
            case .remove: below.append(.remove(step.place.name, if: step.condition))
            }
        }
        var tags = steps.map(\.place.tag)
        for (bucket, floor) in floors {
            tags.append(floorTag(bucket))
            numbers.append(floor.number)
            below.append(try self.change(floor, bucket))
        }
        switch try await base.commit(below) {
        case .committed(let versions):
            guard versions.count == below.count else { throw .otherCountBelow }
            for (index, change) in below.enumerated() {
                if index < steps.count, case .nothing = steps[index].kind { continue }
                try note(change, tags[index], numbers[index], versions[index])
            }
            return .committed(Array(versions.prefix(steps.count)))
        case .conflict(let current):
            var found: [SecretName: SecretVersion?] = [:]
            for step in steps where !step.asksNothing {
                if let there = current[step.place.name] { found.updateValue(there, forKey: step.name) }
            }
            return found.isEmpty ? nil : .conflict(found)
        }
    }

    /// Returns the new number of a step's item. The floors that must be raised for this step are added to
    /// `floors`.
    private func number(for step: Step, _ floors: inout [Int: Floor]) async throws(SecretStoreError) -> UInt64
    {
        let bucket = step.place.bucket
        switch step.kind {
        case .replace(let number): return number + 1
        case .create, .renew:
            var floor: Floor
            if let known = floors[bucket] { floor = known } else { floor = try await self.floor(bucket) }
            let (number, isDrawn) = self.number(for: step, &floor)
            if isDrawn { floors[bucket] = floor }
            return number
        case .remove(let number):
            var floor: Floor
            if let known = floors[bucket] { floor = known } else { floor = try await self.floor(bucket) }
            if floor.note(removalOf: number, of: step.place.tag) { floors[bucket] = floor }
            return number
        case .nothing, .refused: return 0
        }
    }
}
