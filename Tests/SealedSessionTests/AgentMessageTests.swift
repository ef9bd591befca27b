import PortcullisCore
import Testing

@testable import SealedSession

/// What goes over the socket, and when.
@Suite("the messages of a session's agent (K-8)", .timeLimit(.minutes(5)))
struct AgentMessageTests {
    @Test(
        "K-8: an answer's right ends with the lock, also when it is unlocked again before the answer is there"
    )
    func gate() throws {
        let gate = AgentGate()
        #expect(gate.enter() == nil)
        gate.open()
        let pass = try #require(gate.enter())
        gate.open()
        #expect(gate.during(pass) { 1 } == 1)
        gate.close()
        #expect(gate.during(pass) { 1 } == nil)
        gate.open()
        #expect(gate.during(pass) { 1 } == nil)
        #expect(gate.enter() != pass)
    }

    @Test("K-8: requests and answers are understood as they were meant; cut short they are nothing")
    func messages() throws {
        let space = try SecretNamespace("default")
        let (one, two) = (try SecretName("one", in: space), try SecretName("zwei ü", in: space))
        let changes: [SecretChange] = [
            .write(SecretBytes(copying: [1, 2, 3]), to: one, accessibility: .whenUnlocked, if: .absent),
            .write(
                SecretBytes(copying: []),
                to: two,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: .none
            ),
            .remove(one, if: .version(SecretVersion(7))),
        ]
        let message = AgentRequest.commit(changes).message(for: "/store")
        let body = message.part(AgentMessage.head..<message.count)
        let decoded = try #require(AgentRequest.decode(body))
        #expect(decoded.store == "/store")
        guard case .commit(let found) = decoded.request else {
            Issue.record("not a commit")
            return
        }
        #expect(found.map(\.name) == [one, two, one])
        #expect(found.map(\.precondition) == [.absent, .none, .version(SecretVersion(7))])
        guard case .write(let value, _, let accessibility, _) = found[0], case .remove = found[2] else {
            Issue.record("other changes")
            return
        }
        #expect(value.matches(SecretBytes(copying: [1, 2, 3])) && accessibility == .whenUnlocked)
        for count in 0..<body.count { #expect(AgentRequest.decode(body.part(0..<count)) == nil) }

        let reply = AgentReply.conflict([0: nil, 2: SecretVersion(9)]).message
        guard case .conflict(let places) = AgentReply.decode(reply.part(AgentMessage.head..<reply.count))
        else {
            Issue.record("not a conflict")
            return
        }
        #expect(places == [0: nil, 2: SecretVersion(9)])
    }
}
