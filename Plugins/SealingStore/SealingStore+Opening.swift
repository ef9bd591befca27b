internal import Gcrypt
internal import PortcullisCore

extension SealingStore {
    func binding(_ name: SecretName, _ accessibility: Accessibility) -> Binding {
        Binding(kind: .item, name: NameSeal.bound(name), accessibility: accessibility)
    }

    func open(
        _ stored: StoredSecret,
        _ name: SecretName,
        _ place: Place
    ) async throws(SecretStoreError) -> (value: SecretBytes, number: UInt64) {
        let envelope = try Envelope(stored.value)
        guard envelope.name.isEmpty != place.isLong else { throw .damaged("an item is of another form") }
        let value = try await keyring.open(envelope, binding(name, stored.accessibility))
        return (value, envelope.number)
    }

    func seal(
        _ value: SecretBytes,
        _ number: UInt64,
        _ accessibility: Accessibility,
        _ name: SecretName,
        _ place: Place
    ) throws(SecretStoreError) -> SecretBytes {
        try Envelope.seal(
            value,
            number: number,
            under: keyring.sealing,
            binding(name, accessibility),
            longName: place.isLong ? try names.sealed(name) : []
        )
    }

    /// Throws `rolledBack` in these cases:
    /// - The number is lower than the last number that was seen before the read.
    /// - The number is equal to that last number, and the item with this number was removed.
    /// - The last value that was seen before the read is another value with the same number or version.
    func check(
        _ stored: StoredSecret,
        _ number: UInt64,
        _ before: SeenNumbers.Seen?
    ) throws(SecretStoreError) {
        guard let before else { return }
        guard number >= before.number else { throw .rolledBack("an item is older than was seen before") }
        if number == before.number, !before.isThere {
            throw .rolledBack("an item came back after its removal")
        }
        let found = SeenNumbers.Seen(stored.value, number: number, version: stored.version)
        guard !before.contradicts(found) else { throw .twoValues }
    }

    /// Opens and checks an item whose version a caller demands for a change, as a read does.
    ///
    /// The underlying store may put an old value back and show it under the demanded version. Without the
    /// checks, the change would replace the old value by one with the highest number. The loss of the newer
    /// values would never be noticed.
    ///
    /// - Returns: the item's number; `nil` if the item was changed meanwhile.
    func demandedNumber(
        of stored: StoredSecret,
        _ name: SecretName,
        _ place: Place,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> UInt64? {
        let number = try await open(stored, name, place).number
        try check(stored, number, before)
        // This client has seen the same value under another version. So the demanded version belongs to
        // another value.
        if let before, before.number == number, ![0, stored.version.rawValue].contains(before.version) {
            throw .rolledBack("an item has the version of another value")
        }
        return try await checkReturn(of: stored, number, place, before) ? number : nil
    }

    /// Checks whether a missing item was removed. If this client has seen the item, the ``Floor`` of the
    /// item's bucket must show that the item with the seen number was removed. If the floor does not show
    /// this, the function throws `rolledBack`.
    func checkAbsence(_ place: Place, _ before: SeenNumbers.Seen?) async throws(SecretStoreError) {
        guard let before, before.isThere else { return }
        guard try await floor(place.bucket).showsRemoval(of: before.number, of: place.tag) else {
            throw .rolledBack("an item is missing that was not removed")
        }
        seen.noteRemoval(place.tag, of: before.number)
    }

    /// The largest number of writes of one item that this client may have missed. If the item does not open,
    /// or is older than its mark, this number is added to the floor's number.
    static var mostUnseen: UInt64 { 1 << 32 }

    /// Returns the item's highest known number: the number of `stored` or the highest number that this client
    /// has seen of the item, whichever is higher. If `stored` does not open, its number is unknown, and the
    /// result is the one of ``numberOverDamage(_:_:)``.
    func highestNumber(
        of stored: StoredSecret,
        _ name: SecretName,
        _ place: Place,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> UInt64 {
        let known = before?.number ?? 0
        do throws(SecretStoreError) {
            return max(try await open(stored, name, place).number, known)
        } catch {
            guard error.code.portable == .damaged else { throw error }
            return try await numberOverDamage(place, before)
        }
    }

    /// Raises the floor's number by more than ``mostUnseen``, and returns the new number, for a change of an
    /// item that cannot be read.
    ///
    /// The damaged item's own number may be too high or too low, so an estimate is used. The estimate becomes
    /// the floor's number, so every later estimate for this bucket is higher, at each client. The numbers
    /// suffice for 2^30 estimates. If the damaged bytes were planted under a name that had no item, the name
    /// has no mark, and `draw` adds one.
    func numberOverDamage(
        _ place: Place,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> UInt64 {
        let known = before?.number ?? 0
        return try await raiseFloor(place.bucket) { floor in
            floor.number = max(floor.number, known) + Self.mostUnseen
            _ = floor.draw(for: place.tag, above: known)
            return true
        }.number
    }
}
