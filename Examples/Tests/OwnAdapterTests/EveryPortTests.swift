import ExampleSupport
import Foundation
import HTTPPasscodeAccount
import NIOPosix
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import own_adapter

/// An adapter for each port but the store, which has tests of its own.
@Suite("OwnAdapter, one for each port (X-3)", .timeLimit(.minutes(5)))
struct EveryPortTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "X-3: a scheduler with a plain timer keeps the contract, in real time, too",
        arguments: ActivitySchedulerContract.allCases
    )
    func timer(_ clause: ActivitySchedulerContract) async throws {
        let result = try await clause.check(.onTimer)
        #expect((result == .kept) != (clause == .refusesUnsupported), "\(result)")
        if case .notApplicable(let reason) = try await clause.check(.onRunningTimer) {
            let reasons = ["the scheduler can do all of it", "the scheduler's time cannot be moved"]
            #expect(reasons.contains(reason))
        }
    }

    @Test(
        "X-3: a shield over a file of hosts keeps the contract",
        arguments: ShieldControllerContract.allCases
    )
    func hosts(_ clause: ShieldControllerContract) async throws {
        let result = try await clause.check(.onHosts(in: folder.path))
        // This shield has no categories, and a test cannot make its file fail only once.
        let others: Set<ShieldControllerContract> = [.category, .failedApply, .failedClear]
        #expect((result == .kept) != others.contains(clause), "\(result)")
    }

    @Test("X-3: what others keep in the file of hosts stays, and a line that was changed is told")
    func otherLines() async throws {
        let path = "\(folder.path)/hosts"
        let lines = "127.0.0.1 localhost\n# a note\n\n10.0.0.1 printer"
        try Data(lines.utf8).write(to: URL(filePath: path))
        let shield = HostsShield(HostsFile(path: path), sites: ["news.example"])
        let name = ShieldName("focus")
        try await shield.apply(ShieldSelection(apps: [AppToken("news.example")]), as: name)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix(lines + "\n0.0.0.0 news.example # portcullis {"))
        try await shield.clear(name)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == lines)
        try Data((lines + "\n0.0.0.0 a.example # portcullis {").utf8).write(to: URL(filePath: path))
        let error = await #expect(throws: ShieldError.self) { try await shield.clear(name) }
        #expect(error?.code == .stateUnreadable)
    }

    @Test(
        "X-3: a reader behind a pipe keeps the contract",
        arguments: BiometricAuthenticatorContract.allCases
    )
    func pipe(_ clause: BiometricAuthenticatorContract) async throws {
        guard case .notApplicable(let reason) = try await clause.check(.behindPipe) else { return }
        let reasons = [
            "it asserts and releases no key", "none can be enrolled in a test",
            "it is not locked out in a test", "it cannot be switched off in a test",
            "none can be taken away in a test",
        ]
        #expect(reasons.contains(reason))
    }

    @Test("X-3: a reader whose program has gone is not available, and ends the prompt that is up")
    func gone() async throws {
        let (said, told) = (Pipe(), Pipe())
        let reader = PipeReader(PipeLines(said.fileHandleForReading, output: told.fileHandleForWriting))
        let prompt = Task {
            await reader.authenticate(user: .device, reason: "Unlock", fallbackTitle: "Passcode")
        }
        #expect(await BoundedWait.holds { reader.prompt != nil })
        #expect(
            String(decoding: told.fileHandleForReading.availableData, as: UTF8.self) == "1 prompt Unlock\n"
        )
        // These lines are about another prompt, about no prompt, or unknown.
        said.fileHandleForWriting.write(Data("0 match\nmatch\n1 dance\n".utf8))
        try said.fileHandleForWriting.close()
        guard case .cancelled(by: .system) = await prompt.value else {
            Issue.record("the prompt has no program any more")
            return
        }
        #expect(await reader.availability(for: .device).state == .notAvailable)
        guard case .notAvailable = await reader.authenticate(user: .device, reason: "", fallbackTitle: "")
        else {
            Issue.record("there is no reader")
            return
        }
    }

    @Test(
        "X-3: a notifier that posts keeps the contract, in real time, too",
        arguments: NotifierContract.allCases
    )
    func webhook(_ clause: NotifierContract) async throws {
        for subject in [NotifierSubject.toEndpoint, .toRunningEndpoint] {
            guard case .notApplicable(let reason) = try await clause.check(subject) else { continue }
            #expect(reason == "it delivers at once only")
        }
    }

    @Test("X-3: a notification gets to a real endpoint as JSON, and one that is refused there is told")
    func endpoint() async throws {
        let listener = try LoopbackListener()
        let bodies = Mutex<[String]>([])
        let lost = Mutex<[String]>([])
        let transport = AsyncHTTPTransport(on: MultiThreadedEventLoopGroup.singleton, environment: [:])
        listener.serve { connection in
            let file = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
            var request = ""
            while !request.hasSuffix("}") {
                request += String(decoding: file.availableData, as: UTF8.self)
            }
            let count = bodies.withLock { bodies in
                bodies.append(String(request.drop { $0 != "{" }))
                return bodies.count
            }
            let status = count == 1 ? "204 No Content" : "503 Busy"
            let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            file.write(Data(answer.utf8))
        }
        let notifier = WebhookNotifier(
            try #require(URL(string: "http://127.0.0.1:\(listener.port)/hook")),
            over: transport,
            lost: { note, _ in lost.withLock { $0.append(note.id) } }
        )
        for id in ["a", "b"] {
            try await notifier.deliver(LockNotification(id: id, title: "Title", body: "Text"))
        }
        await notifier.finish()
        try await transport.shutdown()
        let sent = try bodies.withLock { $0 }.map {
            try JSONDecoder().decode(LockNotification.self, from: Data($0.utf8))
        }
        #expect(sent.map(\.id) == ["a", "b"] && sent[0].title == "Title" && sent[0].body == "Text")
        #expect(lost.withLock { $0 } == ["b"])
    }
}
