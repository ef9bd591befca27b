import PortcullisCore
import Testing

@testable import SealedSession

/// The bytes of the messages, both ways.
@Suite("the bytes of an agent's messages (K-8)", .timeLimit(.minutes(5)))
struct AgentCodingTests {
    private func bytes(_ secret: SecretBytes) -> [UInt8] {
        secret.withBytes { span in span.indices.map { span[$0] } }
    }

    private func secret(_ bytes: [UInt8]) -> SecretBytes { SecretBytes(copying: bytes) }

    /// A small number in four bytes, and one in eight.
    private func four(_ number: UInt8) -> [UInt8] { [number, 0, 0, 0] }
    private func eight(_ number: UInt8) -> [UInt8] { [number, 0, 0, 0, 0, 0, 0, 0] }

    private func framed(_ body: [UInt8]) -> [UInt8] { four(UInt8(body.count)) + body }

    @Test("K-8: a read is its version, its store and its name")
    func read() throws {
        let name = try SecretName("it", in: SecretNamespace("sp"))
        let body =
            [1] + four(2) + Array("/s".utf8) + [1] + four(2) + Array("sp".utf8) + four(2) + Array("it".utf8)
        #expect(bytes(AgentRequest.read(name).message(for: "/s")) == framed(body))
        let found = try #require(AgentRequest.decode(secret(body)))
        #expect(found.store == "/s" && found.request.isRead && found.request.names == [name])
        for bad in [body + [0], Array(body.dropLast()), [2] + body.dropFirst(), []] {
            #expect(AgentRequest.decode(secret(bad)) == nil, "\(bad)")
        }
    }

    @Test("K-8: a change is its name, its precondition, and its value or nothing")
    func commit() throws {
        let name = try SecretName("it", in: SecretNamespace("sp"))
        let names = four(2) + Array("sp".utf8) + four(2) + Array("it".utf8)
        let start = [1] + four(0) + [2]
        for (change, tail) in [
            (.remove(name, if: .none), [0, 0]),
            (.remove(name, if: .version(SecretVersion(9))), [2] + eight(9) + [0]),
            (
                .write(secret([5, 6]), to: name, accessibility: .whenUnlocked, if: .absent),
                [1, Accessibility.whenUnlocked.agentByte] + four(2) + [5, 6]
            ),
        ] as [(SecretChange, [UInt8])] {
            let body = start + four(1) + names + tail
            let request = AgentRequest.commit([change])
            #expect(bytes(request.message(for: "")) == framed(body))
            guard case .commit(let found) = AgentRequest.decode(secret(body))?.request else {
                Issue.record("\(tail) is no change")
                continue
            }
            #expect(found.count == 1 && found[0].name == name && found[0].precondition == change.precondition)
            #expect(!request.isRead && request.names == [name])
            #expect(AgentRequest.decode(secret(body + [0])) == nil)
        }
        for tail in [[3, 0], [0, 0x7F, 0, 0, 0, 0], [0], [2, 1, 0], [1, 1, 9, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(AgentRequest.decode(secret(start + four(1) + names + tail)) == nil, "\(tail)")
        }
        #expect(AgentRequest.decode(secret(start + four(2) + names + [0, 0])) == nil)
        guard case .commit(let none) = AgentRequest.decode(secret(start + four(0)))?.request else {
            Issue.record("no change is a commit too")
            return
        }
        #expect(none.isEmpty)
    }

    @Test("K-8: numbers have all their bytes, the lowest first, and a text is UTF-8 of 8,192 bytes at most")
    func numbers() throws {
        let reply = AgentReply.committed([SecretVersion(0x0102_0304_0506_0708)])
        let body: [UInt8] = [3, 1, 0, 0, 0, 1, 8, 7, 6, 5, 4, 3, 2, 1]
        #expect(bytes(reply.message) == framed(body))
        guard case .committed(let versions) = AgentReply.decode(secret(body)) else {
            Issue.record("it is an answer")
            return
        }
        #expect(versions == [SecretVersion(0x0102_0304_0506_0708)])
        for (count, isTaken) in [(8192, true), (8193, false)] {
            let text = String(repeating: "x", count: count)
            let message = AgentReply.failed(.other, message: text).message
            let reply = AgentReply.decode(message.part(AgentMessage.head..<message.count))
            #expect((reply != nil) == isTaken)
        }
        #expect(AgentReply.decode(secret([5, 13] + four(1) + [0xFF])) == nil)
        #expect(AgentMessage.length(secret([4, 3, 2, 1])) == 0x0102_0304)
        #expect(AgentMessage.length(secret([4, 3, 2])) == 0)
    }

    @Test("K-8: each answer arrives as it was sent, and only a value is secret")
    func replies() throws {
        let stored = StoredSecret(
            value: secret([7, 8]),
            version: SecretVersion(3),
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        let classByte = Accessibility.afterFirstUnlockThisDeviceOnly.agentByte
        #expect(classByte & 0x80 == 0x80)
        for (reply, body) in [
            (.found(nil), [1]),
            (.found(stored), [2] + eight(3) + [classByte] + four(2) + [7, 8]),
            (.committed([SecretVersion(4), nil]), [3] + four(2) + [1] + eight(4) + [0] + eight(0)),
            (.conflict([5: nil]), [4] + four(1) + four(5) + [0] + eight(0)),
            (.conflict([6: SecretVersion(2)]), [4] + four(1) + four(6) + [1] + eight(2)),
            (.failed(.damaged, message: "no"), [5, 7] + four(2) + Array("no".utf8)),
        ] as [(AgentReply, [UInt8])] {
            #expect(bytes(reply.message) == framed(body))
            let decoded = try #require(AgentReply.decode(secret(body)), "\(body)")
            // What was decoded is sent in the same bytes.
            #expect(bytes(decoded.message) == framed(body))
            #expect(decoded.isSecret == (body[0] == 2))
            #expect(AgentReply.decode(secret(body + [0])) == nil)
            for count in 0..<body.count {
                #expect(AgentReply.decode(secret(Array(body.prefix(count)))) == nil)
            }
        }
        for bad in [[0], [6], [5, 0, 0, 0, 0, 0], [5, 99, 0, 0, 0, 0], [2] + eight(3) + [0x7F] + four(0)]
            as [[UInt8]]
        {
            #expect(AgentReply.decode(secret(bad)) == nil, "\(bad)")
        }
    }

    @Test("K-8: each class has a byte of its own, and other bytes are none")
    func classes() {
        let all: [Accessibility] = [
            .whenUnlocked, .whenUnlockedThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
        ]
        #expect(Set(all.map(\.agentByte)).count == all.count)
        for accessibility in all {
            #expect(Accessibility(agentByte: accessibility.agentByte) == accessibility)
        }
        #expect(!all.map(\.agentByte).contains(0), "0 is a removal")
    }
}
