import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("StoredValue", .timeLimit(.minutes(2)))
struct StoredValueTests {
    private typealias Counter = StoredValue<Int, Failure>

    private enum Failure: Error, Equatable {
        case noNumber
        case tooLarge
        case store(SecretStoreError.Code)
    }

    private let name = SecretName.library("count", in: .library("tests"))

    private func counter(_ store: any SecretStore, _ waits: Waits = Waits()) -> Counter {
        StoredValue(
            name,
            in: store,
            backOff: waits.backOff(),
            coding: .init(
                encode: { number throws(Failure) in
                    guard number < 1_000 else { throw .tooLarge }
                    return SecretBytes(copying: "\(number)".utf8)
                },
                decode: { bytes throws(Failure) in
                    let text = bytes.withBytes { bytes in
                        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                    }
                    guard let number = Int(text) else { throw .noNumber }
                    return number
                },
                failed: { .store($0.code) }
            )
        )
    }

    /// How long writers waited.
    private final class Waits: Sendable {
        private let state = Mutex<[Duration]>([])
        var all: [Duration] { state.withLock { $0 } }

        func backOff() -> BackOff {
            BackOff(
                immediateTries: 2,
                first: .milliseconds(8),
                limit: .milliseconds(30),
                draw: { 0.5 },
                sleep: { wait in self.state.withLock { $0.append(wait) } }
            )
        }
    }

    @Test("no change of many writers is lost")
    func contended() async throws {
        let store = InMemorySecretStore()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        _ = try await counter(store).update { .write(($0 ?? 0) + 1, ()) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await counter(store).read()?.value == 200)
    }

    @Test("a writer that is overtaken decides anew on what is there, and waits longer each time")
    func overtaken() async throws {
        let (store, waits) = (InMemorySecretStore(), Waits())
        let (mine, other) = (counter(store, waits), counter(store))
        let seen = Mutex<[Int?]>([])
        let made = Mutex<[Bool]>([])
        // Another writer is faster each time but the last.
        let rivals = (0..<5).reduce(store as any SecretStore) { store, write in
            InterruptedSecretStore(store, before: .write, number: write) {
                _ = try? await other.update { .write(($0 ?? 0) + 10, ()) }
            }
        }
        let overtaken = counter(rivals, waits)
        let (answer, version) = try await overtaken.update(
            attempted: { isMade in made.withLock { $0.append(isMade) } },
            { found in
                seen.withLock { $0.append(found) }
                return .write((found ?? 0) + 1, "at \(found ?? 0)")
            }
        )
        #expect(seen.withLock { $0 } == [nil, 10, 20, 30, 40, 50])
        #expect(made.withLock { $0 } == [false, false, false, false, false, true])
        #expect(answer == "at 50")
        #expect(try await mine.read()?.value == 51)
        #expect(try await mine.version() == version)
        #expect(waits.all == [.milliseconds(4), .milliseconds(8), .milliseconds(15)])
    }

    @Test("a change of what the caller knows is tried first, and nothing else is decided on it")
    func known() async throws {
        let store = RecordingSecretStore(InMemorySecretStore())
        let value = counter(store)
        _ = try await value.update { _ in .write(1, ()) }
        let known = try #require(try await value.read())
        store.forgetCalls()
        let written = try await value.update(known: known) { .write(($0 ?? 0) + 1, $0) }
        #expect(written.answer == 1 && store.calls.map(\.operation) == [.write])

        // Out of date now: it is read, and decided anew.
        store.forgetCalls()
        let seen = Mutex<[Int?]>([])
        let again = try await value.update(known: known) { found in
            seen.withLock { $0.append(found) }
            return .write((found ?? 0) + 1, found)
        }
        #expect(again.answer == 2 && seen.withLock { $0 } == [1, 2])
        #expect(store.calls.map(\.operation) == [.write, .read, .write])
        #expect(try await value.update(known: known) { .keep($0) }.answer == 3)
        let kept = try await value.update(known: known) { found throws(Failure) -> Counter.Change<Int?> in
            if found == 1 { throw .noNumber }
            return .keep(found)
        }
        #expect(kept.answer == 3)
        #expect(try await value.update(known: known) { .remove($0) }.answer == 3)
        #expect(try await value.read() == nil)
    }

    @Test("what is kept is not written, and what is removed is gone")
    func keepAndRemove() async throws {
        let value = counter(InMemorySecretStore())
        let attempts = Mutex(0)
        let attempted: (Bool) -> Void = { _ in attempts.withLock { $0 += 1 } }
        #expect(try await value.update(attempted: attempted) { _ in .keep(1) }.version == nil)
        #expect(try await value.read() == nil && attempts.withLock { $0 } == 0)
        let written = try await value.update(attempted: attempted) { _ in .write(5, ()) }.version
        #expect(written != nil && attempts.withLock { $0 } == 1)
        #expect(try await value.update(attempted: attempted) { .keep($0) }.answer == 5)
        #expect(try await value.update { _ in .keep(()) }.version == written)
        #expect(attempts.withLock { $0 } == 1)
        #expect(try await value.update(attempted: attempted) { _ in .remove("gone") }.answer == "gone")
        #expect(try await value.read() == nil && attempts.withLock { $0 } == 2)
    }

    @Test("errors of the store, of the content and of the decision are the caller's, and change nothing")
    func errors() async throws {
        let store = InMemorySecretStore()
        let value = counter(store)
        _ = try await value.update { _ in .write(7, ()) }
        await #expect(throws: Failure.tooLarge) { _ = try await value.update { _ in .write(1_000, ()) } }
        await #expect(throws: Failure.noNumber) {
            _ = try await value.update { _ throws(Failure) -> Counter.Change<Void> in throw .noNumber }
        }
        #expect(try await value.read()?.value == 7)
        try await store.write(SecretBytes(copying: "x".utf8), to: name, accessibility: .afterFirstUnlock)
        await #expect(throws: Failure.noNumber) { _ = try await value.read() }
        #expect(try await value.version() != nil)
        let erased = Mutex<Bool?>(nil)
        try await value.erase { isMade in erased.withLock { $0 = isMade } }
        #expect(try await value.version() == nil && erased.withLock { $0 } == true)
        let none = counter(Unavailable())
        await #expect(throws: Failure.store(.unavailable)) { _ = try await none.read() }
        await #expect(throws: Failure.store(.unavailable)) {
            _ = try await none.update { .write($0 ?? 0, ()) }
        }
        await #expect(throws: Failure.store(.unavailable)) {
            try await none.erase { isMade in erased.withLock { $0 = isMade } }
        }
        #expect(erased.withLock { $0 } == false)
    }

    @Test("a write under a precondition says whether it held")
    func precondition() async throws {
        let value = counter(InMemorySecretStore())
        let version = try #require(try await value.write(1, if: .absent))
        #expect(try await value.write(2, if: .absent) == nil)
        #expect(try await value.write(3, if: .version(version)) != nil)
        #expect(try await value.read()?.value == 3)
    }

    @Test("the bound of a wait doubles up to the limit")
    func bounds() {
        let bounds = (0..<14).map { BackOff.standard.bound(after: $0) }
        let expected: [Int?] = [nil, nil, nil, 1, 2, 4, 8, 16, 32, 64, 128, 250, 250, 250]
        #expect(bounds == expected.map { $0.map { .milliseconds($0) } })
        #expect(BackOff.standard.bound(after: .max) == .milliseconds(250))
    }
}
