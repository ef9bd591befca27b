internal import AdapterKit
internal import PortcullisCore

/// A floor is a number that all items of a bucket had at most which were removed.
///
/// An item that is made gets a number above its bucket's floor, so that it is above every number that an item of its name
/// ever had. Buckets share floors, because one for each name would stay behind for ever. The floor's number is that of its
/// own sealed item; its value is the highest number of an item that was removed.
struct Floor: Sendable {
    var number: UInt64
    var removed: UInt64
    /// The floor's item; `nil` where none was written yet.
    var version: SecretVersion?

    var condition: WritePrecondition { version.map { .version($0) } ?? .absent }
}

extension SealingStore {
    static var floorClass: Accessibility { .afterFirstUnlockThisDeviceOnly }

    func floorName(_ bucket: Int) throws(SecretStoreError) -> SecretName {
        try SecretName("\(bucket)", in: floorSpace)
    }

    private func floorBinding(_ bucket: Int) -> Binding {
        Binding(kind: .floor, name: [UInt8](UInt32(bucket)), accessibility: Self.floorClass)
    }

    private func floorTag(_ bucket: Int) -> NameTag { NameTag(first: .max, second: UInt64(bucket)) }

    func floor(_ bucket: Int) async throws(SecretStoreError) -> Floor {
        let before = seen[floorTag(bucket)]
        guard let stored = try await base.read(try floorName(bucket)) else {
            if before != nil { throw .rolledBack("a floor is missing that was there") }
            return Floor(number: 0, removed: 0, version: nil)
        }
        let envelope = try Envelope(stored.value)
        let value = try await keyring.open(envelope, floorBinding(bucket)).sealedBytes
        guard value.count == 8 else { throw .damaged("a floor is of another form") }
        try check(envelope.number, before)
        seen.note(floorTag(bucket), number: envelope.number, version: stored.version)
        return Floor(number: envelope.number, removed: value.number(at: 0), version: stored.version)
    }

    /// The change that puts a floor in the place of the one that its version tells of.
    func change(_ floor: Floor, _ bucket: Int) throws(SecretStoreError) -> SecretChange {
        var removed: [UInt8] = []
        removed.append(floor.removed)
        return .write(
            try Envelope.seal(
                SecretBytes(copying: removed),
                number: floor.number,
                under: keyring.sealing,
                floorBinding(bucket)
            ),
            to: try floorName(bucket),
            accessibility: Self.floorClass,
            if: floor.condition
        )
    }

    func noteFloor(_ bucket: Int, _ number: UInt64, _ version: SecretVersion?) {
        seen.note(floorTag(bucket), number: number, version: version)
    }

    /// Raises a floor by itself, for a store without batches.
    ///
    /// - Parameter raise: raises the present one, or returns `false` to leave it.
    /// - Returns: the floor as it is then.
    func raiseFloor(
        _ bucket: Int,
        _ raise: (inout Floor) -> Bool
    ) async throws(SecretStoreError) -> Floor {
        try await backOff.untilDecided { () async throws(SecretStoreError) -> Floor? in
            var floor = try await floor(bucket)
            guard raise(&floor) else { return floor }
            guard
                case .write(let value, let name, let accessibility, let condition) =
                    try change(floor, bucket)
            else { return nil }
            switch try await base.write(value, to: name, accessibility: accessibility, if: condition) {
            case .written(let version):
                noteFloor(bucket, floor.number, version)
                return floor
            case .conflict: return nil
            }
        }
    }
}

extension Floor {
    /// Draws a number for an item that is made, above one that its name is known to have had.
    mutating func draw(above known: UInt64) -> UInt64 {
        number = max(number, known) + 1
        return number
    }

    /// Notes that an item with a number was removed.
    ///
    /// - Returns: `false` where that changes nothing.
    mutating func note(removalOf number: UInt64) -> Bool {
        guard number > removed else { return false }
        removed = number
        self.number = max(self.number + 1, number)
        return true
    }
}
