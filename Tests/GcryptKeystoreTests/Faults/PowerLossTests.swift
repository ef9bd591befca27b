import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("Power failures", .growing, .timeLimit(.minutes(60)))
struct PowerLossTests {
    /// What may be found, by the number of the last mark before the failure.
    private typealias Allowed = [Int: Set<Snapshot?>]

    /// Opens every disk that a power failure may leave.
    ///
    /// - Returns: how many there are.
    @discardableResult
    private func demand(
        _ log: DiskLog,
        from first: Int = 0,
        _ allowed: Allowed,
        anchored: Bool,
        _ what: String
    ) async throws -> Int {
        /// Known by its digest: the long form has so many disks that they would fill the memory.
        struct Case: Hashable {
            var first: Int
            var second: Int

            init(_ image: DiskImage, _ mark: Int) {
                var hashers = (Hasher(), Hasher())
                hashers.1.combine(0)
                hashers.0.combine(image)
                hashers.0.combine(mark)
                hashers.1.combine(image)
                hashers.1.combine(mark)
                (first, second) = (hashers.0.finalize(), hashers.1.finalize())
            }
        }
        var generator = Seeded(state: 7)
        var seen: Set<Case> = []
        var mark = 0
        for (index, crash) in log.crashes().enumerated() {
            if index > 0, case .mark(let number) = log.changes[index - 1] { mark = number }
            guard index >= first else { continue }
            for choice in crash.choices(&generator) {
                let image = crash.image(keeping: choice)
                guard seen.insert(Case(image, mark)).inserted else { continue }
                let place = "\(what): failure after change \(index), mark \(mark)"
                do {
                    let disk = SimulatedDisk(image)
                    let found = try await look(disk, anchored: anchored)
                    #expect(allowed[mark]?.contains(found) == true, "\(place): \(String(describing: found))")
                    if found != nil, seen.count % Torture.every(4) == 0 { try await goOn(disk, anchored) }
                } catch {
                    Issue.record("\(place): \(error)")
                }
            }
        }
        return seen.count
    }

    /// What is on a disk; `nil` when there is no store yet.
    private func look(_ disk: SimulatedDisk, anchored: Bool) async throws -> Snapshot? {
        var configuration = Setup.configuration(anchored: anchored)
        configuration.createsIfMissing = false
        do {
            let store = try await GcryptKeystore.open(configuration, files: disk)
            let found = try await Snapshot(store)
            await store.close()
            return found
        } catch let error as SecretStoreError where error.code == .missingStore {
            return nil
        }
    }

    private func goOn(_ disk: SimulatedDisk, _ anchored: Bool) async throws {
        let store = try await Setup.open(disk, anchored: anchored)
        try await store.put("on", "on")
        await store.close()
        #expect(try await Setup.open(disk, anchored: anchored).get("on") == "on")
        let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
        #expect(report.damage.isEmpty && !report.unfinishedTail, "\(report)")
    }

    @Test(
        "K-5: whatever of the unsynced writes is lost, every acknowledged commit is there and no half batch is",
        arguments: [false, true]
    )
    func subsets(_ anchored: Bool) async throws {
        let disk = SimulatedDisk()
        var allowed: Allowed = [:]
        var last: Snapshot?
        var steps = 0
        func acknowledge(_ store: GcryptKeystore) async throws {
            let now = try await Snapshot(store)
            allowed[steps, default: [last]].insert(now)
            steps += 1
            disk.mark(steps)
            allowed[steps] = [now]
            last = now
        }
        let store = try await Setup.open(disk, anchored: anchored)
        try await acknowledge(store)
        let older = try await Setup.open(disk, anchored: anchored, argon2: Setup.weak)
        _ = try await older.addSlot(Setup.phrase)
        await older.close()
        try await acknowledge(store)
        _ = try await store.export(to: Setup.backup, passphrase: secret("bp"))
        for operation in Operation.all where operation.takesOpenStore && !operation.isSealed {
            // Some expect what was there to begin with.
            do { try await operation.run(store, disk, anchored) } catch is Operation.Wrong {}
            try await acknowledge(store)
        }
        try await store.unseal()
        try await acknowledge(store)
        try await store.compact()
        try await acknowledge(store)
        try await store.put("last", "last")
        try await acknowledge(store)
        let count = try await demand(disk.log, allowed, anchored: anchored, "in order")
        #expect(count > 100)
    }

    @Test(
        "K-5, K-7: what the next process acknowledges after one was killed at any call survives a power failure",
        arguments: Operation.trials.filter(\.takesOpenStore),
        Torture.isOn ? [false, true] : [false]
    )
    func killed(_ operation: Operation, _ anchored: Bool) async throws {
        var start = try await Setup.disk(for: operation, anchored: anchored)
        operation.prepare(&start)
        let whole = SimulatedDisk(start)
        let before = try await look(whole, anchored: anchored)
        let store = try await Setup.open(whole, anchored: anchored)
        whole.plan(nil)
        try await operation.run(store, whole, anchored)
        let calls = whole.calls
        let after = try await look(whole, anchored: anchored)
        let looks: Set = ["open", "fstat", "lstat", "pread", "flock"]
        for call in calls.indices where Torture.isOn || !looks.contains(calls[call]) {
            let disk = SimulatedDisk(start)
            let victim = try await Setup.open(disk, anchored: anchored)
            disk.plan(SimulatedDisk.Fault(call: call, number: EIO, reach: .everything))
            _ = try? await operation.run(victim, disk, anchored)
            disk.kill()
            disk.plan(nil)
            let first = disk.log.changes.count
            let next = try await Setup.open(disk, anchored: anchored)
            let seen = try await Snapshot(next)
            try await next.put("later", "later")
            let acknowledged = try await Snapshot(next)
            disk.mark(1)
            await next.close()
            // A removed slot, or a weak wrap, is in neither header page.
            let file = try #require(disk.image[Setup.path])
            #expect(file[..<4096] == file[4096..<8192], "\(operation.title), call \(call)")
            var expected = seen
            expected.items["later"] = "later"
            #expect(acknowledged == expected)
            #expect(seen == before || seen == after, "\(operation.title), call \(call)")
            try await demand(
                disk.log,
                from: first,
                [0: [before, after, seen, acknowledged], 1: [acknowledged]],
                anchored: anchored,
                "\(operation.title) killed at \(calls[call]) (call \(call))"
            )
        }
    }

    @Test("K-9: whenever an export is killed or loses power, there is no backup or a whole one")
    func export() async throws {
        guard let operation = Operation.all.first(where: { $0.title == "export" }),
            let product = operation.product
        else {
            Issue.record("no operation exports")
            return
        }
        func demandWhole(_ image: DiskImage, _ what: String) async {
            guard image[product.path] != nil else { return }
            do {
                #expect(try await product.items(SimulatedDisk(image)) == 3, "\(what)")
            } catch {
                Issue.record("\(what): \(error)")
            }
        }
        let start = try await Setup.disk()
        let whole = SimulatedDisk(start)
        let store = try await Setup.open(whole)
        let first = whole.log.changes.count
        whole.plan(nil)
        try await operation.run(store, whole, false)
        let calls = whole.calls
        await demandWhole(whole.image, "the export")
        #expect(!whole.image.names.keys.contains { $0.hasSuffix(".new") })
        var generator = Seeded(state: 7)
        for (index, crash) in whole.log.crashes().enumerated() where index >= first {
            for choice in crash.choices(&generator) {
                await demandWhole(crash.image(keeping: choice), "failure after change \(index)")
            }
        }
        for call in calls.indices {
            let disk = SimulatedDisk(start)
            let victim = try await Setup.open(disk)
            disk.plan(SimulatedDisk.Fault(call: call, number: EIO, reach: .everything, isTorn: true))
            _ = try? await operation.run(victim, disk, false)
            disk.kill()
            disk.plan(nil)
            await demandWhole(disk.image, "killed at \(calls[call]) (call \(call))")
            // What the killed one left does not keep the next one from its work.
            guard disk.image[product.path] == nil else { continue }
            let next = try await Setup.open(disk)
            try await operation.run(next, disk, false)
            await demandWhole(disk.image, "after a kill at \(calls[call]) (call \(call))")
        }
    }

    @Test("K-5, K-10: a failed sync leaves the old or the new state, and what comes after it stands")
    func failedSync() async throws {
        let start = try await Setup.disk()
        for operation in Operation.all where operation.takesOpenStore && !operation.isSealed {
            let whole = SimulatedDisk(start)
            let before = try await look(whole, anchored: false)
            let store = try await Setup.open(whole)
            whole.plan(nil)
            try await operation.run(store, whole, false)
            let calls = whole.calls
            let after = try await look(whole, anchored: false)
            for call in calls.indices where ["fdatasync", "fsync"].contains(calls[call]) {
                let disk = SimulatedDisk(start)
                let first = try await Setup.open(disk)
                disk.plan(SimulatedDisk.Fault(call: call, number: EIO))
                _ = try? await operation.run(first, disk, false)
                disk.plan(nil)
                await first.close()
                let failed = disk.log.changes.count
                let next = try await Setup.open(disk)
                try await next.put("later", "later")
                let acknowledged = try await Snapshot(next)
                disk.mark(1)
                await next.close()
                try await demand(
                    disk.log,
                    from: failed,
                    [0: [before, after, acknowledged], 1: [acknowledged]],
                    anchored: false,
                    "\(operation.title), failed sync (call \(call))"
                )
            }
        }
    }
}

extension DiskLog.Crash {
    /// What of the pending changes this power failure may keep: all choices where those are few, else the likely and
    /// some more.
    ///
    /// Choices and not disks: thousands of disks at a time would fill the memory.
    func choices(_ generator: inout Seeded) -> [[Bool]] {
        let count = pending.count
        let most = Torture.isOn ? 12 : 4
        if count <= most {
            return (0..<1 << count).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
        }
        var choices: [[Bool]] = []
        func choose(_ isKept: (Int) -> Bool) { choices.append((0..<count).map(isKept)) }
        for index in stride(from: 0, through: count, by: Torture.isOn ? 1 : max(1, count / 4)) {
            choose { $0 < index }
            choose { $0 >= index }
            choose { $0 != index }
            choose { $0 == index }
        }
        for _ in 0..<(Torture.isOn ? 500 : 3) { choose { _ in Bool.random(using: &generator) } }
        return choices
    }
}
