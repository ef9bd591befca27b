internal import PortcullisCore

extension SecretStoreProbe {
    func checkReadsOneMoment() async throws {
        guard let transactional else { return }
        let (a, b, c) = (try name("a"), try name("b"), try name("c"))
        let elsewhere = try name("a", in: otherSpace)
        let first = try await put([1], a, as: .afterFirstUnlock)
        let second = try await put([2, 2], b)
        let third = try await put([3], elsewhere)
        let none = try await transactional.read([])
        try requireEqual(none.count, 0, "items of an empty list of names")
        let found = try await transactional.read([elsewhere, b, c, a])
        try requireEqual(found.count, 4, "items read together")
        try require(found[2] == nil, "an item that is not there was read together with others")
        let expected: [(Int, SecretName, [UInt8], SecretVersion, Accessibility)] = [
            (0, elsewhere, [3], third, .afterFirstUnlockThisDeviceOnly),
            (1, b, [2, 2], second, .afterFirstUnlockThisDeviceOnly),
            (3, a, [1], first, .afterFirstUnlock),
        ]
        for (place, name, bytes, version, accessibility) in expected {
            guard let item = found[place] else { throw Finding("\(name) was not read together with others") }
            try require(
                item.value.matches(SecretBytes(copying: bytes)),
                "\(name) read together with others has another value"
            )
            try requireEqual(item.version, version, "version of \(name) read together with others")
            try requireEqual(item.accessibility, accessibility, "class of \(name) read together with others")
        }
        try await checkPairsOfOneMoment(transactional)
    }

    /// Checks that reads show whole batches: two items are read while batches write and remove them together.
    private func checkPairsOfOneMoment(_ store: any TransactionalSecretStore) async throws {
        let pair = [try name("left"), try name("right")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { @concurrent in
                for round in 0..<40 {
                    let changes = pair.map { item -> SecretChange in
                        guard round % 4 != 3 else { return .remove(item, if: .none) }
                        let value = SecretBytes(copying: [UInt8(round)])
                        return .write(value, to: item, accessibility: .afterFirstUnlock, if: .none)
                    }
                    _ = try await store.commit(changes)
                    await Task.yield()
                }
            }
            for reader in 0..<3 {
                group.addTask { @concurrent in
                    // A store that wrongly applies a batch step by step may change either item first. The
                    // readers therefore read the items in different orders.
                    let names = reader == 0 ? pair : pair.reversed()
                    for _ in 0..<60 {
                        let found = try await store.read(names)
                        let isWhole =
                            switch (found.first ?? nil, found.last ?? nil) {
                            case (nil, nil): true
                            case (let left?, let right?): left.value.matches(right.value)
                            default: false
                            }
                        try require(isWhole, "items read together showed half a batch")
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Whether reading the two items together throws an error with this code. Any other error makes the
    /// clause fail. For a store without batches the result is `true`, because such a store cannot read items
    /// together and has nothing to check.
    func isRefused(
        _ item: SecretName,
        with other: SecretName,
        as code: SecretStoreErrorCode,
        on opening: any SecretStore
    ) async throws -> Bool {
        guard let transactional = transactional(opening) else { return true }
        do { _ = try await transactional.read([other, item]) } catch {
            try requireEqual(error.code.portable, code, "code for reading two items together")
            return true
        }
        return false
    }
}
