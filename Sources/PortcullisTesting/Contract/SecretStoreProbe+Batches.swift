internal import PortcullisCore

extension SecretStoreProbe {
    private func write(_ byte: UInt8, _ item: SecretName, if precondition: WritePrecondition) -> SecretChange
    {
        let value = SecretBytes(copying: [byte])
        return .write(value, to: item, accessibility: .afterFirstUnlock, if: precondition)
    }

    func checkBatchCommits() async throws {
        guard let transactional else { return }
        let (a, b, c, d) = (try name("a"), try name("b"), try name("c"), try name("d"))
        try requireEqual(try await transactional.commit([]), .committed([]), "an empty batch")
        let old = try await put([1], b)
        try await put([1], c)
        let ended = try await transactional.commit([
            write(2, a, if: .absent), .remove(c, if: .none), write(3, b, if: .version(old)),
            .remove(d, if: .none),
        ])
        guard case .committed(let versions) = ended else { throw Finding("a batch that holds gave \(ended)") }
        try requireEqual(versions.map { $0 != nil }, [true, false, true, false], "versions of a batch")
        try require(versions[0] != nil && versions[2] != old, "a batch reused a version")
        try await expect([2], at: a, version: versions[0])
        try await expect([3], at: b, version: versions[2])
        try await expectNames(["a", "b"])
    }

    func checkBatchAllOrNothing() async throws {
        guard let transactional else { return }
        let (a, b, c) = (try name("a"), try name("b"), try name("c"))
        let old = try await put([1], a)
        let version = try await put([2], a)
        let kept = try await put([3], c)
        let ended = try await transactional.commit([
            .remove(c, if: .none), write(9, b, if: .version(old)), write(9, a, if: .version(old)),
        ])
        try requireEqual(ended, .conflict([a: version, b: nil]), "a batch with two conflicts")
        try await expect([2], at: a, version: version)
        try await expect(nil, at: b)
        try await expect([3], at: c, version: kept)
    }

    func checkBatchRefusesDuplicates() async throws {
        guard let transactional else { return }
        let (a, b) = (try name("a"), try name("b"))
        let version = try await put([1], a)
        do {
            let changes = [write(2, b, if: .none), write(3, a, if: .none), .remove(a, if: .none)]
            let ended = try await transactional.commit(changes)
            throw Finding("a batch that names an item twice gave \(ended)")
        } catch let error as SecretStoreError {
            try requireEqual(error.code.portable, .invalidName, "code for a batch that names an item twice")
        }
        try await expect([1], at: a, version: version)
        try await expect(nil, at: b)
    }
}
