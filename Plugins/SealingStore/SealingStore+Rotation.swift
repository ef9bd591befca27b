internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Makes a new value key, which seals values from now on. Other clients read the keys again when they
    /// read a value under the new key. The call waits as ``refreshKeys()`` does.
    ///
    /// - Throws: `tooLarge` if there are a thousand value keys; the errors of ``refreshKeys()``.
    public func rotateValueKey() async throws(SecretStoreError) {
        try await keyring.change { (item) throws(SecretStoreError) in try item.keys.addValueKey() }
        await keyring.waitForEarlierWrites()
    }

    /// Reads the keys again. From then on this client seals values under the newest value key.
    ///
    /// If there is a newer value key, the call waits until all writes of this client have ended that began
    /// before. So it must not be made within a write, for example by the underlying store.
    ///
    /// - Throws: `rolledBack` if the stored keys are older than the keys that this client has seen;
    ///   `wrongKey` if the keys were wrapped under other wrapping keys meanwhile; the errors of the
    ///   underlying store.
    public func refreshKeys() async throws(SecretStoreError) {
        try await keyring.refresh()
        await keyring.waitForEarlierWrites()
    }

    /// Wraps the store's keys under these wrapping keys. After the call no other wrapping key opens the
    /// store's keys.
    ///
    /// A wrapping key is changed without downtime in three steps: wrap under the old and the new key, give
    /// the new key to every client, and wrap under the new key alone.
    ///
    /// - Parameter wrappingKeys: one to 16 keys of 32 bytes.
    /// - Throws: the errors of ``refreshKeys()``; `wrongKey` if the number of wrapping keys or a length is
    ///   wrong.
    public func rewrap(under wrappingKeys: [SecretBytes]) async throws(SecretStoreError) {
        try await keyring.change(wrappingKeys: wrappingKeys) { (item) throws(SecretStoreError) in
            try item.wrap(under: wrappingKeys)
        }
    }

    /// Seals every item under the newest value key, and then drops the other value keys.
    ///
    /// The items are those of the given namespaces, and the store's own items, such as the numbers that each
    /// client has seen. Every client must have refreshed its keys with ``refreshKeys()`` after the last
    /// ``rotateValueKey()`` and before this call. Then no client writes under an older key any more. The
    /// caller has to name every namespace, because a value under a dropped key can never be read again. If an
    /// item cannot be read, the call throws before it drops a key.
    ///
    /// A write that ended with `outcomeUnknown`, or whose client was killed, may still be under way in the
    /// underlying store. If such a write were made after this call, it would leave a value under a dropped
    /// key. So make this call only when no such write can be made any more.
    ///
    /// - Parameter namespaces: all namespaces that are in use.
    /// - Returns: the number of items in these namespaces that were sealed again.
    /// - Throws: the errors of reading and writing, and of ``keepSeen()``; `alreadyExists` if another client
    ///   has made a newer value key meanwhile.
    @discardableResult
    public func retireValueKeys(
        resealing namespaces: [SecretNamespace]
    ) async throws(SecretStoreError) -> Int {
        try await refreshKeys()
        let current = keyring.sealing.id
        var count = 0
        for namespace in namespaces {
            for name in try await names(in: namespace) where try await isResealed(name, current) {
                count += 1
            }
        }
        for floor in try await base.names(in: floorSpace) {
            guard
                let bucket = Int(floor.name), (0..<NameSeal.buckets).contains(bucket),
                try floorName(bucket) == floor
            else { throw .damaged("a floor has a name that none has") }
            // Raising the floor's number writes the floor again. The new value is sealed under the newest
            // key.
            _ = try await raiseFloor(bucket) { floor in
                floor.number += 1
                return true
            }
        }
        try await ledger?.keep(all: true)
        // The next step drops the older value keys, so the stored numbers of the other clients are sealed
        // again too. A client that is opened again reads its stored numbers, and has no other copy of them.
        try await SeenLedger.reseal(in: base, keyring, names)
        try await keyring.change { (item) throws(SecretStoreError) in
            guard item.keys.current == current else {
                throw SecretStoreError(
                    code: .alreadyExists,
                    message: "there is a newer value key: begin again"
                )
            }
            item.keys.valueKeys = item.keys.valueKeys.filter { $0.key == current }
        }
        // The anchor has to record that the keys were dropped. Otherwise they could be put back unnoticed.
        try await ledger?.keep()
        return count
    }

    /// Seals an item again if it is not sealed under the value key `current`. Returns whether the item was
    /// sealed again. If the item changes meanwhile, the function starts again.
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

    /// Stores the item numbers that this client has seen, and records in the anchor that they were stored. So
    /// after a restart too, this client detects older values. The anchor also records which change of the
    /// sealing keys was the last that this client has seen.
    ///
    /// The host calls this every few seconds, after a change of the keys, and before the process ends.
    /// Numbers that are seen after the last call are lost when the process ends. Without an anchor the call
    /// does nothing.
    ///
    /// - Throws: the errors of the anchor and of the underlying store. After an error the numbers stay in
    ///   memory for the next call.
    public func keepSeen() async throws(SecretStoreError) { try await ledger?.keep() }
}
