internal import AdapterKit
internal import PortcullisCore

/// A floor is a number that no removed item of its bucket exceeds.
///
/// A new item gets a number above its bucket's floor. So its number is above all numbers of earlier items
/// with the same name. The names of a bucket share one floor, because a floor for a single name could never
/// be removed. The floor is stored as a sealed item with the floor's number. The value of that item is the
/// highest number of a removed item.
struct Floor: Sendable {
    var number: UInt64
    var removed: UInt64
    /// The version of the floor's item; `nil` if the floor was not written yet.
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

    /// The change that writes a floor, on the precondition that the stored floor still has the version in `floor`.
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

    /// Raises a floor in a separate write, for stores without batches.
    ///
    /// - Parameter raise: raises the current floor, or returns `false` to leave it unchanged.
    /// - Returns: the floor after the call.
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
    /// Draws a number for a new item. The number is above the floor, and above the last known number of the
    /// item's name.
    mutating func draw(above known: UInt64) -> UInt64 {
        number = max(number, known) + 1
        return number
    }

    /// Notes that an item with this number was removed.
    ///
    /// - Returns: whether the floor has changed.
    mutating func note(removalOf number: UInt64) -> Bool {
        guard number > removed else { return false }
        removed = number
        self.number = max(self.number + 1, number)
        return true
    }
}
