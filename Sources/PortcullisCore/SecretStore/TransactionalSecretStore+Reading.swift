extension TransactionalSecretStore {
    /// The default: reads the items one after another, in rounds, until two rounds in a row find the same versions.
    ///
    /// An item never has the same version twice. So an item with the same version in both rounds did not
    /// change between the two reads. A missing item is less certain, because it may have existed for a short
    /// time between the two reads. Two items can therefore both be reported as missing although they were
    /// never missing at the same moment.
    ///
    /// A store that can read several items in one step should implement this call itself. The result is then
    /// exact, and takes fewer reads than this default.
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
