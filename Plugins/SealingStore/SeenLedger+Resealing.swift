internal import AdapterKit
internal import PortcullisCore

extension SeenLedger {
    /// Seals the numbers of all clients under the newest value key. The number and the binding of each item
    /// stay the same, so the client that wrote the item can still open it.
    ///
    /// If a client writes an item meanwhile, the client's item is kept. It is read, and sealed again if
    /// needed.
    ///
    /// - Throws: `damaged` for an item that does not open; the errors of the underlying store.
    static func reseal(
        in base: any SecretStore,
        _ keyring: Keyring,
        _ names: NameSeal
    ) async throws(SecretStoreError) {
        for name in try await base.names(in: try space(names)) {
            let binding = try binding(of: name)
            try await BackOff.standard.untilDecided { () async throws(SecretStoreError) -> Void? in
                guard let stored = try await base.read(name) else { return () }
                let envelope = try Envelope(stored.value)
                if envelope.key == keyring.sealing.id { return () }
                let value = try await keyring.open(envelope, binding)
                // `open` may have read the keys again, and may have found a newer sealing key.
                let sealing = keyring.sealing
                if envelope.key == sealing.id { return () }
                let outcome = try await base.write(
                    try Envelope.seal(value, number: envelope.number, under: sealing, binding),
                    to: name,
                    accessibility: accessibility,
                    if: .version(stored.version)
                )
                if case .written = outcome { return () }
                return nil
            }
        }
    }

    /// The binding of an item with seen numbers. The item's name is the client's id, a dot, and the name of
    /// the page or of the root; see ``SeenLedger``.
    private static func binding(of name: SecretName) throws(SecretStoreError) -> Binding {
        let parts = name.name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let client = Base64URL.bytes(parts[0].utf8) else {
            throw .damaged("seen numbers have a name that none have")
        }
        return binding(client, String(parts[1]))
    }
}
