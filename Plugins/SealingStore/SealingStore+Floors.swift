internal import AdapterKit
internal import PortcullisCore

/// Shows which items of a bucket were removed. A floor has a number, and a mark for each item that was made
/// and not removed.
///
/// The floor's number is at least as high as the number of each removed item of the bucket. A new item gets a
/// number above the floor's number. So the new number is higher than all numbers of earlier items with the
/// same name. The names of a bucket share one floor, because a floor for a single name could never be
/// removed.
///
/// In a store with batches, the commit that makes an item also adds the item's mark, and the commit that
/// removes the item also removes the mark. So if an item is missing there but has a mark, the item was not
/// removed through the sealing store, but deleted by other means. A mark is a number. The item's number is
/// never lower than the mark. The numbers of all removed items with the same name are lower than the mark.
///
/// The floor is stored as a sealed item with the floor's number. The bytes of the item's value are: format
/// (1), and for each mark half of the name's tag (8) and the mark (8).
struct Floor: Sendable {
    /// The format of a floor's value. A value in format 1 had 8 bytes and did not contain the format. No
    /// release has written format 1.
    static let form: UInt8 = 2
    private static let markSize = 8 + 8

    var number: UInt64
    /// The marks by the second half of the name's tag.
    private var marks: [UInt64: UInt64] = [:]
    /// The version of the floor's item; `nil` if the floor was not written yet.
    var version: SecretVersion?

    var condition: WritePrecondition { version.map { .version($0) } ?? .absent }

    /// Makes a floor without marks.
    init(number: UInt64, version: SecretVersion?) { (self.number, self.version) = (number, version) }

    /// Decodes a floor.
    ///
    /// - Throws: `newerFormat` for a later format; `damaged` for an earlier format, or for a value whose
    ///   length does not fit the format.
    init(
        _ value: SecretBytes,
        number: UInt64,
        version: SecretVersion
    ) throws(SecretStoreError) {
        self.init(number: number, version: version)
        let bytes = value.sealedBytes
        // Only a value in format 1 has 8 bytes.
        guard bytes.count != 8 else {
            throw .damaged("a floor has the form of a version before the first release: make the store anew")
        }
        guard let form = bytes.first, form >= Self.form else { throw .damaged("a floor is of another form") }
        guard form == Self.form else {
            throw SecretStoreError(code: .newerFormat, message: "a floor has form \(form)")
        }
        guard bytes.count % Self.markSize == 1 else { throw .damaged("a floor is of another form") }
        marks.reserveCapacity(bytes.count / Self.markSize)
        for start in stride(from: 1, to: bytes.count, by: Self.markSize) {
            marks[bytes.number(at: start)] = bytes.number(at: start + 8)
        }
    }

    /// The bytes of the floor's value.
    var value: SecretBytes {
        var bytes = [Self.form]
        bytes.reserveCapacity(1 + marks.count * Self.markSize)
        for (tag, mark) in marks {
            bytes.append(tag)
            bytes.append(mark)
        }
        return SecretBytes(copying: bytes)
    }
}

extension SealingStore {
    static var floorClass: Accessibility { .afterFirstUnlockThisDeviceOnly }

    func floorName(_ bucket: Int) throws(SecretStoreError) -> SecretName {
        try SecretName("\(bucket)", in: floorSpace)
    }

    private func floorBinding(_ bucket: Int) -> Binding {
        Binding(kind: .floor, name: [UInt8](UInt32(bucket)), accessibility: Self.floorClass)
    }

    func floorTag(_ bucket: Int) -> NameTag { NameTag(first: .max, second: UInt64(bucket)) }

    func floor(_ bucket: Int) async throws(SecretStoreError) -> Floor {
        let before = seen[floorTag(bucket)]
        return try await floor(in: try await base.read(try floorName(bucket)), bucket, before)
    }

    /// Opens a floor that was read from the underlying store. If there is none yet, the result is an empty
    /// floor with the number 0.
    private func floor(
        in stored: StoredSecret?,
        _ bucket: Int,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> Floor {
        guard let stored else {
            if before != nil { throw .rolledBack("a floor is missing that was there") }
            return Floor(number: 0, version: nil)
        }
        let envelope = try Envelope(stored.value)
        let value = try await keyring.open(envelope, floorBinding(bucket))
        let floor = try Floor(value, number: envelope.number, version: stored.version)
        try check(stored, envelope.number, before)
        try seen.note(floorTag(bucket), stored.value, number: envelope.number, version: stored.version)
        return floor
    }

    /// Checks an item that exists again after this client has seen the item's removal. The item must have a
    /// mark that is later than the removal. An item without such a mark was put back, or was written over an
    /// item that was put back. For the check, the item and its floor are read at one moment.
    ///
    /// Over a store without batches the check is not possible: an item whose removal was begun and not
    /// completed has no mark either.
    ///
    /// - Returns: `false` if the item was changed meanwhile and must be read again; otherwise `true`.
    /// - Throws: `rolledBack` if the item has no such mark.
    func checkReturn(
        of stored: StoredSecret,
        _ number: UInt64,
        _ place: Place,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> Bool {
        guard let before, !before.isThere, let batches else { return true }
        let known = seen[floorTag(place.bucket)]
        let found = try await batches.read([place.name, try floorName(place.bucket)])
        guard found.count == 2 else { throw .otherCountBelow }
        guard found[0]?.version == stored.version else { return false }
        let floor = try await floor(in: found[1], place.bucket, known)
        guard floor.marks(number, of: place.tag), floor.showsRemoval(of: before.number, of: place.tag) else {
            throw .rolledBack("an item came back after its removal")
        }
        return true
    }

    /// Returns the new number of an item that is created, or written over an item that may have been put
    /// back.
    ///
    /// - Returns: the number, and whether it was drawn from the floor, which must then be written.
    func number(for step: Step, _ floor: inout Floor) -> (number: UInt64, isDrawn: Bool) {
        let (tag, known) = (step.place.tag, seen[step.place.tag]?.number ?? 0)
        guard case .renew(let old) = step.kind else { return (floor.draw(for: tag, above: known), true) }
        if floor.marks(old, of: tag) { return (old + 1, false) }
        // If the name has a mark, the mark is above `old`, so it belongs to a later item with this name. How
        // often that item was written is not known, so the floor is raised by the largest possible number of
        // writes.
        if floor.marks(.max, of: tag) { floor.number += Self.mostUnseen }
        return (floor.draw(for: tag, above: max(old, known)), true)
    }

    /// The change that writes a floor, on the precondition that the stored floor still has the version in
    /// `floor`.
    func change(_ floor: Floor, _ bucket: Int) throws(SecretStoreError) -> SecretChange {
        .write(
            try Envelope.seal(
                floor.value,
                number: floor.number,
                under: keyring.sealing,
                floorBinding(bucket)
            ),
            to: try floorName(bucket),
            accessibility: Self.floorClass,
            if: floor.condition
        )
    }

    /// Raises a floor in a separate write, which changes no item.
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
            let change = try change(floor, bucket)
            guard case .write(let value, let name, let accessibility, let condition) = change else {
                return nil
            }
            switch try await base.write(value, to: name, accessibility: accessibility, if: condition) {
            case .written(let version):
                try note(change, floorTag(bucket), floor.number, version)
                return floor
            case .conflict: return nil
            }
        }
    }
}

extension Floor {
    /// Draws a number for a new item, and adds the item's mark. The number is above the floor's last number,
    /// and above the last known number of the item's name. It becomes the floor's number.
    ///
    /// If the name already has a mark, the mark is not changed. For a missing item such a mark has one of two
    /// causes. Either the earlier item was deleted by other means than a removal through the sealing store.
    /// Or a client wrote the mark in a store without batches, and was ended before it wrote the item.
    mutating func draw(for tag: NameTag, above known: UInt64) -> UInt64 {
        number = max(number, known) + 1
        if marks[tag.second] == nil { marks[tag.second] = number }
        return number
    }

    /// Whether there is a mark of an item with this number. A mark above the number belongs to a later item.
    func marks(_ number: UInt64, of tag: NameTag) -> Bool {
        marks[tag.second].map { $0 <= number } ?? false
    }

    /// Notes that an item with this number was removed, and removes the item's mark.
    ///
    /// - Returns: whether the floor has changed.
    mutating func note(removalOf removed: UInt64, of tag: NameTag) -> Bool {
        guard marks.removeValue(forKey: tag.second) != nil || removed > number else { return false }
        number = max(number + 1, removed)
        return true
    }

    /// Whether a missing item, which this client has seen with the number `seen`, was removed.
    ///
    /// An older floor does not show the removal. If the floor was written before the item was made, the
    /// floor's number is lower than `seen`. If the floor was written while the item existed, the floor has
    /// the item's mark, and the mark is at most `seen`. A mark above `seen` belongs to a later item with the
    /// same name, which was made after the removal.
    func showsRemoval(of seen: UInt64, of tag: NameTag) -> Bool {
        guard let mark = marks[tag.second] else { return number >= seen }
        return mark > seen
    }
}
