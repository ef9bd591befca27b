extension TransactionalSecretStore {
    /// The default: reads the items one after another, in rounds, until two rounds in a row find the same versions.
    ///
    /// An item never has the same version twice. So an item that both rounds found was unchanged from the first round to
    /// the second. An item that both rounds missed may have been written and removed between its two reads: if two
    /// such items were never absent at the same moment, the answer can still say that both are. A store that can read several
    /// items in one step implements the call itself, which also takes fewer reads.
    ///
    /// - Throws: ``SecretStoreErrorCode/lockTimeout`` if the items change in each of 100 rounds.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        var before = try await readInTurn(names)
        guard names.count > 1 else { return before }
        for _ in 0..<100 {
            let now = try await readInTurn(names)
            if now.map({ $0?.version }) == before.map({ $0?.version }) { return now }
            before = now
        }
        throw SecretStoreError(
            code: .lockTimeout,
            message: "items that were to be read together changed all the time"
        )
    }

    private func readInTurn(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        var found: [StoredSecret?] = []
        for name in names { found.append(try await read(name)) }
        return found
    }
}
