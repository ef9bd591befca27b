internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Makes a new value key, under which values are sealed from now on; other clients take it up when they meet it.
    ///
    /// - Throws: `tooLarge` where there are a thousand; `rolledBack` where the keys are older than was seen; and what the store
    ///   below throws.
    public func rotateValueKey() async throws(SecretStoreError) {
        try await keyring.change { (item) throws(SecretStoreError) in try item.keys.addValueKey() }
    }

    /// Reads the keys again, so that values are sealed under the newest.
    ///
    /// - Throws: as ``rotateValueKey()``, and `wrongKey` where they were wrapped under other keys meanwhile.
    public func refreshKeys() async throws(SecretStoreError) { try await keyring.refresh() }

    /// Wraps the keys under these wrapping keys, and under no others any more.
    ///
    /// To change a wrapping key without downtime: wrap under the old and the new one; give the new one to every client; wrap
    /// under the new one.
    ///
    /// - Parameter wrappingKeys: one to 16 of 32 bytes.
    /// - Throws: as ``rotateValueKey()``; `wrongKey` where they are none, too many, or have another length.
    public func rewrap(under wrappingKeys: [SecretBytes]) async throws(SecretStoreError) {
        try await keyring.change(wrappingKeys: wrappingKeys) { (item) throws(SecretStoreError) in
            try item.wrap(under: wrappingKeys)
        }
    }

    /// Seals every item of some namespaces, and the store's own, under the newest value key where another one was used, and
    /// then drops the other keys.
    ///
    /// Every client must have refreshed its keys since the last ``rotateValueKey()``, and no namespace may be left out: what
    /// is sealed under a dropped key cannot be read any more. An item that cannot be read now stops it before any key is
    /// dropped.
    ///
    /// - Parameter namespaces: all namespaces that are in use.
    /// - Returns: how many items were sealed anew.
    /// - Throws: what reading and writing throws.
    @discardableResult
    public func retireValueKeys(
        resealing namespaces: [SecretNamespace]
    ) async throws(SecretStoreError) -> Int {
        try await keyring.refresh()
        let current = keyring.sealing.id
        var count = 0
        for namespace in namespaces {
            for name in try await names(in: namespace) where try await isResealed(name, current) {
                count += 1
            }
        }
        for floor in try await base.names(in: floorSpace) {
            guard let bucket = Int(floor.name) else { throw .damaged("a floor has a name that none has") }
            // Raising it writes it anew.
            _ = try await raiseFloor(bucket) { floor in floor.draw(above: 0) > 0 }
        }
        try await ledger?.keep(all: true)
        try await keyring.change { (item) throws(SecretStoreError) in
            guard item.keys.current == current else {
                throw SecretStoreError(
                    code: .alreadyExists,
                    message: "there is a newer value key: begin again"
                )
            }
            item.keys.valueKeys = item.keys.valueKeys.filter { $0.key == current }
        }
        return count
    }

    /// Seals an item anew unless it is under the key; starts again where it was changed meanwhile.
    private func isResealed(_ name: SecretName, _ current: UInt32) async throws(SecretStoreError) -> Bool {
        let place = try names.place(of: name)
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> Bool? in
            guard let stored = try await base.read(place.name) else { return false }
            if try Envelope(stored.value).key == current { return false }
            guard let item = try await read(name) else { return false }
            let outcome = try await write(
                item.value,
                to: name,
                accessibility: item.accessibility,
                if: .version(item.version)
            )
            if case .written = outcome { return true }
            return nil
        }
    }

    /// Keeps the numbers that were seen, and has the anchor witness it: what is put back later is noticed after a restart too.
    ///
    /// To be called every few seconds, and before the process ends: what was seen since the last call is forgotten with it.
    /// Does nothing where there is no anchor.
    ///
    /// - Throws: what the anchor and the store below throw; nothing is forgotten then.
    public func keepSeen() async throws(SecretStoreError) { try await ledger?.keep() }
}
