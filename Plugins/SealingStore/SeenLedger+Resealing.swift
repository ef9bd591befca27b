internal import AdapterKit
internal import PortcullisCore

extension SeenLedger {
    /// Seals the numbers of all clients under the newest value key. Each item keeps its number and its binding, so
    /// its client finds it as it was.
    ///
    /// A client that writes an item meanwhile wins: its newer item is read, and sealed again if needed.
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
                let sealing = keyring.sealing
                if envelope.key == sealing.id { return () }
                let value = try await keyring.open(envelope, binding)
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

    /// The binding of an item of any client. Its name has the client and the part.
    private static func binding(of name: SecretName) throws(SecretStoreError) -> Binding {
        let parts = name.name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let client = Base64URL.bytes(parts[0].utf8) else {
            throw .damaged("seen numbers have a name that none have")
        }
        return binding(client, String(parts[1]))
    }
}
