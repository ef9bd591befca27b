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

    /// Refuses a number that is lower than was seen before the read began, or that of an item whose removal was seen.
    func check(_ number: UInt64, _ before: SeenNumbers.Seen?) throws(SecretStoreError) {
        guard let before else { return }
        guard number >= before.number else { throw .rolledBack("an item is older than was seen before") }
        if number == before.number, !before.isThere {
            throw .rolledBack("an item came back after its removal")
        }
    }

    /// Refuses that an item is missing which was there, unless it was removed: then its floor says so.
    func checkAbsence(_ place: Place, _ before: SeenNumbers.Seen?) async throws(SecretStoreError) {
        guard let before, before.isThere else { return }
        guard try await floor(place.bucket).removed >= before.number else {
            throw .rolledBack("an item is missing that was not removed")
        }
        seen.noteRemoval(place.tag, of: before.number)
    }

    /// The number that an item had at most, for one that may not open: nothing that was ever read gets a lower one.
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
            // What it says of itself may be false; it can only be too high.
            let claimed = (try? Envelope(stored.value).number) ?? 0
            return max(claimed, known, try await floor(place.bucket).number)
        }
    }
}
