internal import PortcullisCore

extension SecretStoreProbe {
    func checkConcurrentIncrements() async throws {
        let counter = try name("counter")
        let (tasks, rounds) = (8, 25)
        try await put(Self.bytes(of: 0), counter)
        let probe = self
        _ = try await atOnce(tasks) { _ in
            for _ in 0..<rounds { try await probe.increment(counter) }
        }
        try await expect(Self.bytes(of: tasks * rounds), at: counter)
    }

    /// Increments a counter by compare-and-set.
    func increment(_ counter: SecretName, on opening: (any SecretStore)? = nil) async throws {
        // Other tasks make some attempts fail. The limit ends the test if the store lets no attempt succeed.
        for _ in 0..<5_000 {
            guard let stored = try await (opening ?? store).read(counter) else {
                throw Finding("the counter went away")
            }
            let count = stored.value.withBytes { span in
                span.indices.reduce(0) { $0 << 8 | Int(span[$1]) }
            }
            // The pause lets other tasks write between this task's read and its write.
            await Task.yield()
            let ended = try await outcome(
                ofWriting: Self.bytes(of: count + 1),
                to: counter,
                if: .version(stored.version),
                on: opening
            )
            if case .written = ended { return }
        }
        throw Finding("a compare-and-set with the version just read never succeeded")
    }

    static func bytes(of number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    func checkConcurrentCreations() async throws {
        let probe = self
        for round in 0..<10 {
            let item = try name("item-\(round)")
            let ends = try await atOnce(8) { index in
                try await probe.outcome(ofWriting: [UInt8(index)], to: item, if: .absent)
            }
            let versions = ends.compactMap { if case .written(let version) = $0 { version } else { nil } }
            try requireEqual(versions.count, 1, "tasks that created one item")
            for end in ends {
                if case .conflict(let current) = end {
                    try requireEqual(current, versions[0], "version named to a loser")
                }
            }
        }
    }

    func checkConcurrentRemovals() async throws {
        let probe = self
        for round in 0..<10 {
            let item = try name("item-\(round)")
            let version = try await put([1], item)
            let ends = try await atOnce(8) { index in
                try await probe.store.remove(item, if: index % 2 == 0 ? .none : .version(version))
            }
            try requireEqual(ends.count { $0 == .removed }, 1, "tasks that removed one item")
        }
    }

    func checkNoTornReads() async throws {
        let item = try name("item")
        let size = 10_000
        try await put([UInt8](repeating: 0, count: size), item)
        let probe = self
        let written = try await withThrowingTaskGroup(of: [SecretVersion: UInt8].self) { group in
            for writer in 0..<4 {
                group.addTask { @concurrent in
                    var versions: [SecretVersion: UInt8] = [:]
                    for round in 0..<12 {
                        let mark = UInt8(writer * 50 + round + 1)
                        let version = try await probe.put([UInt8](repeating: mark, count: size), item)
                        versions[version] = mark
                    }
                    return versions
                }
            }
            for _ in 0..<4 {
                group.addTask { @concurrent in
                    var seen: [SecretVersion: UInt8] = [:]
                    for _ in 0..<50 {
                        guard let stored = try await probe.store.read(item) else {
                            throw Finding("an item that is being overwritten was not there")
                        }
                        let (mark, isWhole) = stored.value.withBytes { span in
                            (span[0], span.count == size && span.indices.allSatisfy { span[$0] == span[0] })
                        }
                        try require(isWhole, "a reader saw parts of two values")
                        if mark != 0 { seen[stored.version] = mark }
                    }
                    return seen
                }
            }
            var all: [[SecretVersion: UInt8]] = []
            for try await part in group { all.append(part) }
            return all
        }
        var marks: [SecretVersion: UInt8] = [:]
        for (version, mark) in written.joined() {
            let known = marks.updateValue(mark, forKey: version)
            try require(known == nil || known == mark, "\(version) stood for two values")
        }
    }

    func checkCancelledWrite() async throws {
        let probe = self
        for round in 0..<10 {
            let item = try name("item-\(round)")
            let before = try await put([1], item)
            let task = Task { @concurrent in
                if round % 2 == 0 { while !Task.isCancelled { await Task.yield() } }
                return try await probe.outcome(ofWriting: [2], to: item, if: .version(before))
            }
            task.cancel()
            switch await task.result {
            case .success(.written(let version)): try await expect([2], at: item, version: version)
            case .success(.conflict(let current)):
                throw Finding("a cancelled write without rivals met a conflict with \(current as Any)")
            case .failure: try await expect([1], at: item, version: before)
            }
        }
    }

    func checkBatchIsOneStep() async throws {
        guard let transactional else { return }
        let pair = [try name("left"), try name("right")]
        let probe = self
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { @concurrent in
                for round in 0..<40 {
                    let changes = pair.map { item -> SecretChange in
                        guard round % 2 == 0 else { return .remove(item, if: .none) }
                        let value = SecretBytes(copying: [UInt8(round)])
                        return .write(value, to: item, accessibility: .afterFirstUnlock, if: .none)
                    }
                    _ = try await transactional.commit(changes)
                    await Task.yield()
                }
            }
            for _ in 0..<3 {
                group.addTask { @concurrent in
                    for _ in 0..<100 {
                        let count = try await probe.store.names(in: probe.space).count
                        try require(count != 1, "a listing showed half a batch")
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
