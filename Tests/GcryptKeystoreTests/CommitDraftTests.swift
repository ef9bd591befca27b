import PortcullisCore
import Synchronization
import Testing

@testable import GcryptKeystore

@Suite("What a commit is made of", .timeLimit(.minutes(10)))
struct CommitDraftTests {
    @Test(
        "K-3: changes are decided in their order; one that fails leaves nothing of its batch, and no gap behind it"
    )
    func decisions() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        store.lock()
        var draft = CommitDraft(
            lastVersion: 10,
            ring: store.ring,
            epoch: store.state.withLock { $0.view.header.classEpoch },
            path: "store"
        ) { $0.name == "known" ? 5 : nil }
        let (a, b, known) = (try name("a"), try name("b"), try name("known"))
        func write(
            _ name: SecretName,
            _ condition: WritePrecondition = .none,
            _ accessibility: Accessibility = .afterFirstUnlock
        ) -> SecretChange { .write(secret("v"), to: name, accessibility: accessibility, if: condition) }
        func decide(_ changes: SecretChange...) -> String {
            switch draft.decide(changes) {
            case .failure(let error): return "\(error.code)"
            case .success(let decision):
                switch decision.outcome {
                case .conflict(let found):
                    let names = found.sorted { $0.key < $1.key }
                    return names.map { "\($0.key.name) \($0.value?.description ?? "none")" }.joined(
                        separator: ", "
                    )
                case .committed(let versions):
                    return (versions.map { $0?.description ?? "-" } + ["\(decision.removed) gone"])
                        .joined(separator: " ")
                }
            }
        }
        #expect(decide(write(a)) == "v11 0 gone")
        #expect(decide(write(a, .absent)) == "a v11")
        #expect(decide(write(a, .version(SecretVersion(11)))) == "v12 0 gone")
        #expect(decide(write(b, .version(SecretVersion(1))), write(a, .absent)) == "a v12, b none")
        let failing = [
            write(a), .remove(known, if: .none), write(b, .absent),
            write(try name("locked"), .none, .whenUnlocked),
        ]
        #expect(decide(failing[0], failing[1], failing[2], failing[3]) == "classLocked")
        // As if it had never been there.
        #expect(decide(write(b, .absent)) == "v13 0 gone")
        #expect(decide(write(known, .version(SecretVersion(4)))) == "known v5")
        #expect(decide(.remove(a, if: .version(SecretVersion(12)))) == "- 1 gone")
        #expect(decide(.remove(a, if: .none)) == "- 0 gone")
        #expect(decide(.remove(a, if: .absent), .remove(b, if: .none)) == "- - 1 gone")
        #expect(decide(write(known, .version(SecretVersion(5))), write(a, .absent)) == "v16 v17 0 gone")
        let records = draft.content.records.map { record in
            switch record {
            case .write(let name, _, let version, _, _): "write \(name.name) \(version)"
            case .remove(let name, let version): "remove \(name.name) \(version)"
            case .header: "header"
            }
        }
        #expect(
            records == [
                "write a 11", "write a 12", "write b 13", "remove a 14", "remove b 15", "write known 16",
                "write a 17",
            ]
        )
        await store.close()
    }

    @Test("K-9: a store that was closed signals nothing, to those who listen and to those who come")
    func closed() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let space = try SecretNamespace("tests")
        let before = store.changes(in: space)
        await store.close()
        for await _ in before {}
        for await _ in store.changes(in: space) { Issue.record("a signal") }
    }

    @Test("K-1: what wraps a class's key under the store's own is no slot that could be removed")
    func ownSlots() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let slot = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        for id in [2, 3, slot.id + 1] {
            #expect(await code { try await store.removeSlot(id) } == .invalidSlot, "\(id)")
        }
        #expect(try await store.slots().map(\.id) == [1, slot.id])
        try await store.removeSlot(slot.id)
        #expect(await code { try await store.removeSlot(1) } == .invalidSlot)
        await store.close()
        await (try await GcryptKeystore.open(scratch.configuration)).close()
    }
}
