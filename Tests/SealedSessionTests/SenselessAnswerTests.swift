import PortcullisCore
import Testing

@testable import SealedSession

/// An agent that answers what cannot be.
@Suite("what a session's store makes of senseless answers (K-8)", .timeLimit(.minutes(5)))
struct SenselessAnswerTests {
    /// What a commit through an agent comes to that gives this answer.
    private func outcome(
        of changes: [SecretChange],
        answered reply: AgentReply?
    ) async throws -> Result<CommitOutcome, SecretStoreError> {
        let agent = try FakeAgent(reply)
        let file = InMemorySealableStore.File()
        try await InMemorySealableStore(file).seal(under: SecretBytes(randomCount: 32), recoverableWith: [])
        let store = SessionStore(
            InMemorySealableStore(file),
            at: "/store",
            environment: [SessionAgent.variable: agent.socket]
        )
        let result: Result<CommitOutcome, SecretStoreError>
        do throws(SecretStoreError) {
            result = .success(try await store.commit(changes))
        } catch { result = .failure(error) }
        await agent.stop()
        return result
    }

    private func write(_ name: String, _ precondition: WritePrecondition = .none) throws -> SecretChange {
        .write(
            SecretBytes(copying: [1]),
            to: try SecretName(name, in: SecretNamespace("default")),
            accessibility: .whenUnlocked,
            if: precondition
        )
    }

    @Test("K-8: a conflict at no place, or where nothing is or nothing was asked, is no answer")
    func conflicts() async throws {
        let (free, bound) = (try write("free"), try write("bound", .absent))
        for (changes, places) in [
            ([free], [:]), ([bound], [:]), ([free], [0: nil]), ([bound], [1: nil]),
            ([free, bound], [0: nil]),
            ([bound, free], [0: SecretVersion(3), 7: nil]),
        ] as [([SecretChange], [Int: SecretVersion?])] {
            let result = try await outcome(of: changes, answered: .conflict(places))
            guard case .failure(let error) = result else {
                Issue.record("\(places) was taken for an answer: \(result)")
                continue
            }
            #expect(error.code == .senselessAnswer && error.code.portable == .systemFailure)
        }
        let result = try await outcome(of: [free, bound], answered: .conflict([1: SecretVersion(3)]))
        #expect(try result.get() == .conflict([bound.name: SecretVersion(3)]))
    }

    @Test("K-8: versions that do not fit the changes are no answer")
    func versions() async throws {
        let free = try write("free")
        let gone = SecretChange.remove(try SecretName("gone", in: SecretNamespace("default")), if: .none)
        for versions in [[], [SecretVersion(1)], [nil, nil], [SecretVersion(1), SecretVersion(2)]] {
            let result = try await outcome(of: [free, gone], answered: .committed(versions))
            #expect(throws: SecretStoreError.self, "\(versions)") { try result.get() }
        }
        let result = try await outcome(of: [free, gone], answered: .committed([SecretVersion(4), nil]))
        #expect(try result.get() == .committed([SecretVersion(4), nil]))
    }

    @Test("K-8: of an agent that hangs up it is not known whether a change was made")
    func hangsUp() async throws {
        let result = try await outcome(of: [try write("free")], answered: nil)
        guard case .failure(let error) = result else { throw CancellationError() }
        #expect(error.code == .outcomeUnknown && error.message.contains("not known"))
    }

    @Test("K-8: what is no conflict and no version is no answer to a change, nor these to a read")
    func others() async throws {
        let result = try await outcome(of: [try write("free")], answered: .found(nil))
        #expect(throws: SecretStoreError.self) { try result.get() }
    }
}
