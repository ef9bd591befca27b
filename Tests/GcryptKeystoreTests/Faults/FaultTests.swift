import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("Every operation against a failure at every call", .growing, .timeLimit(.minutes(30)))
struct FaultTests {
    private struct World {
        var start: DiskImage
        var before: Snapshot
        var after: Snapshot
        var calls: [String]
    }

    /// What the operation does, and which calls it makes, when nothing fails.
    private func world(_ operation: Operation, anchored: Bool) async throws -> World {
        var start = try await Setup.disk(for: operation, anchored: anchored)
        operation.prepare(&start)
        let disk = SimulatedDisk(start)
        let store = try await Setup.open(disk, anchored: anchored)
        let before = try await Snapshot(store)
        store.lock()
        try await store.unlock(with: .rawKey(store.isSealed ? Setup.sealingKey : Setup.key))
        disk.plan(nil)
        try await operation.run(operation.takesOpenStore ? store : nil, disk, anchored)
        let calls = disk.calls
        await store.close()
        return World(
            start: start,
            before: before,
            after: try await Snapshot(try await Setup.open(disk, anchored: anchored)),
            calls: calls
        )
    }

    /// Runs the operation with a fault, and looks at what it left.
    private func attempt(
        _ operation: Operation,
        _ world: World,
        _ fault: SimulatedDisk.Fault,
        anchored: Bool,
        allowed: Set<SecretStoreError.Code>
    ) async throws {
        let what = "\(world.calls[fault.call]) (call \(fault.call)): \(fault)"
        let disk = SimulatedDisk(world.start)
        let store = try await Setup.open(disk, anchored: anchored)
        _ = try await Snapshot(store)
        disk.plan(fault)
        var failure: SecretStoreError?
        do {
            try await operation.run(operation.takesOpenStore ? store : nil, disk, anchored)
        } catch let error as SecretStoreError {
            failure = error
            #expect(allowed.contains(error.code), "\(what): \(error)")
        } catch {
            Issue.record("\(what): no typed error, but \(error)")
        }
        disk.plan(nil)

        // The handle goes on, unless it says that it cannot know what is on disk.
        do {
            let seen = try await Snapshot(store)
            #expect(seen == (failure == nil ? world.after : world.before), "\(what): the handle")
            if let failure {
                if let product = operation.product, disk.image[product.path] != nil {
                    // It could not be taken away any more; whoever sees it decides, it is never written over.
                    let isExplained = fault.reach == .whatChanges || failure.code == .durabilityUnknown
                    #expect(isExplained, "\(what): half a file was left")
                    disk.remove(product.path)
                }
                try await operation.run(operation.takesOpenStore ? store : nil, disk, anchored)
                #expect(try await Snapshot(store) == world.after, "\(what): tried again")
            }
            if let product = operation.product {
                #expect(try await product.items(disk) == 3, "\(what): \(product.path)")
            }
            try await store.put("again", "again")
            #expect(try await store.get("again") == "again", "\(what)")
        } catch let error as SecretStoreError {
            #expect(
                error.code == .durabilityUnknown && failure?.code == .durabilityUnknown,
                "\(what): \(error)"
            )
        }
        await store.close()

        do {
            let again = try await Setup.open(disk, anchored: anchored)
            var found = try await Snapshot(again)
            found.items["again"] = nil
            let isKnown = failure?.code != .durabilityUnknown
            #expect(
                found == world.after || (!isKnown && found == world.before),
                "\(what): the file; \(String(describing: failure))"
            )
            try await again.put("later", "later")
            try await again.compact()
            if try await again.slots().contains(where: { $0.argon2 == Setup.weak && $0.purpose == .store }) {
                let other = try await Setup.open(disk, anchored: anchored, Setup.phrase)
                #expect(other.lastStrengtheningFailure == nil, "\(what)")
                await other.close()
            }
            await again.close()
            #expect(disk.image[Setup.path + ".new"] == nil, "\(what)")
            let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
            #expect(report.damage.isEmpty && !report.unfinishedTail, "\(what): \(report)")
        } catch {
            Issue.record("\(what): \(error)")
        }
    }

    @Test(
        "K-5, K-10: a call that fails once is a typed error or harmless",
        arguments: Operation.trials,
        Torture.anchored
    )
    func once(_ operation: Operation, _ anchored: Bool) async throws {
        let world = try await world(operation, anchored: anchored)
        #expect(!world.calls.isEmpty)
        let numbers = [EIO, ENOSPC, EINTR, EROFS] + (Torture.isOn ? [EACCES, EMFILE] : [])
        for call in world.calls.indices {
            for number in numbers {
                for isTorn in world.calls[call] == "pwrite" ? [false, true] : [false] {
                    let fault = SimulatedDisk.Fault(call: call, number: number, isTorn: isTorn)
                    try await attempt(
                        operation,
                        world,
                        fault,
                        anchored: anchored,
                        allowed: [
                            .systemFailure, .diskFull, .readOnly, .notPermitted, .durabilityUnknown,
                        ]
                    )
                }
            }
        }
    }

    @Test(
        "K-10: a disk that is full from any call on: its error, and all is well when there is space again",
        arguments: Operation.trials,
        Torture.anchored
    )
    func full(_ operation: Operation, _ anchored: Bool) async throws {
        let world = try await world(operation, anchored: anchored)
        for call in world.calls.indices {
            for isTorn in [false, true] {
                let fault = SimulatedDisk.Fault(
                    call: call,
                    number: ENOSPC,
                    reach: .whatTakesSpace,
                    isTorn: isTorn
                )
                try await attempt(
                    operation,
                    world,
                    fault,
                    anchored: anchored,
                    allowed: [.diskFull, .durabilityUnknown]
                )
            }
        }
    }

    @Test(
        "K-10: a file system that turns read-only at any call: its error, and all is well when it can be written",
        arguments: Operation.trials,
        Torture.anchored
    )
    func readOnly(_ operation: Operation, _ anchored: Bool) async throws {
        let world = try await world(operation, anchored: anchored)
        for call in world.calls.indices {
            let fault = SimulatedDisk.Fault(call: call, number: EROFS, reach: .whatChanges)
            try await attempt(
                operation,
                world,
                fault,
                anchored: anchored,
                allowed: [.readOnly, .durabilityUnknown]
            )
        }
    }

    @Test(
        "K-1, K-10: a store whose making fails at any call is made by the next try",
        arguments: [EIO, ENOSPC, EINTR, EROFS]
    )
    func making(_ number: Int32) async throws {
        var configuration = Setup.configuration(anchored: true)
        configuration.path = DiskImage.folder + "/new folder/store"
        configuration.credential = .keyFile(DiskImage.folder + "/keys/key")
        let whole = SimulatedDisk()
        _ = try await GcryptKeystore.open(configuration, files: whole)
        let calls = whole.calls
        let expected: SecretStoreError.Code =
            switch number {
            case ENOSPC: .diskFull
            case EROFS: .readOnly
            default: .systemFailure
            }
        for call in calls.indices {
            for reach in [SimulatedDisk.Fault.Reach.once, .whatTakesSpace, .whatChanges, .everything] {
                let what = "\(calls[call]) (call \(call)), \(reach)"
                let disk = SimulatedDisk()
                disk.plan(SimulatedDisk.Fault(call: call, number: number, reach: reach, isTorn: true))
                let found = await code { try await GcryptKeystore.open(configuration, files: disk) }
                #expect(
                    found == nil || found == expected || found == .durabilityUnknown,
                    "\(what): \(String(describing: found))"
                )
                disk.kill()
                disk.plan(nil)
                do {
                    let store = try await GcryptKeystore.open(configuration, files: disk)
                    try await store.put("v", "item")
                    #expect(
                        try await GcryptKeystore.open(configuration, files: disk).get("item") == "v",
                        "\(what)"
                    )
                } catch {
                    Issue.record("\(what): \(error)")
                }
            }
        }
    }

    @Test("K-10: a read-only file system can be checked and salvaged from")
    func readOnlyCheck() async throws {
        let disk = SimulatedDisk(try await Setup.disk())
        disk.plan(SimulatedDisk.Fault(call: 0, number: EROFS, reach: .whatChanges))
        let report = try await GcryptKeystore.check(Setup.configuration(), files: disk)
        #expect(report.items == 3 && report.damage.isEmpty)
        #expect(await code { try await Setup.open(disk) } == .readOnly)
    }
}
