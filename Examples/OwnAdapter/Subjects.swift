internal import Foundation
internal import HTTPPasscodeAccount
internal import PortcullisCore
internal import PortcullisTesting
internal import Synchronization
internal import SystemClock

// The subjects of the contracts. Each has the adapter, and the other end that the adapter works with.

extension ActivitySchedulerSubject {
    /// Schedulers with a timer, on clocks that the clauses move.
    static var onTimer: Self {
        ActivitySchedulerSubject { clock in TimerScheduler(clock: clock, executor: clock.executor) }
    }

    /// Schedulers with a timer, on the system's clock.
    static var onRunningTimer: Self {
        let clock = SystemClock()
        return ActivitySchedulerSubject(running: clock) { TimerScheduler(clock: clock) }
    }
}

extension ShieldControllerSubject {
    /// Shields over files of hosts. Each place has a file of its own in the folder.
    static func onHosts(in folder: String) -> Self {
        ShieldControllerSubject {
            let path = "\(folder)/hosts-\(UUID())"
            try Data("127.0.0.1 localhost\n".utf8).write(to: URL(filePath: path))
            let isAllowed = Flag(true)
            let file = HostsFile(path: path, isAllowed: { isAllowed.value })
            let sites = ["news.example", "videos.example"]
            let make: @Sendable () -> HostsShield = { HostsShield(file, sites: sites) }
            return Place(
                controller: make(),
                tokens: Tokens(
                    app: AppToken("news.example"),
                    otherApp: AppToken("videos.example"),
                    refused: AppToken("localhost")
                ),
                isShut: { site in
                    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").contains {
                        line in
                        line.hasPrefix("0.0.0.0 ")
                            && line.prefix { $0 != "#" }.split(separator: " ").dropFirst().contains {
                                $0 == site.rawValue
                            }
                    }
                },
                revoke: { isAllowed.value = false },
                reopen: { make() }
            )
        }
    }
}

extension BiometricAuthenticatorSubject {
    /// Readers behind pipes, whose program is the test.
    static var behindPipe: Self {
        BiometricAuthenticatorSubject {
            let (said, told) = (Pipe(), Pipe())
            let reader = PipeReader(PipeLines(said.fileHandleForReading, output: told.fileHandleForWriting))
            let write: @Sendable (String) -> Void = { text in
                // The line is about the shown prompt, which may be over when the line arrives.
                guard let id = reader.prompt?.id else { return }
                said.fileHandleForWriting.write(Data("\(id) \(text)\n".utf8))
            }
            return Place(
                authenticator: reader,
                reader: Reader(
                    prompt: {
                        reader.prompt.map { Prompt(reason: $0.reason, fallbackTitle: $0.fallbackTitle) }
                    },
                    present: { event in
                        switch event {
                        case .match: write("match")
                        case .noMatch: write("no match")
                        case .userCancels: write("cancel")
                        case .systemCancels: write("gone")
                        case .choosesPasscode: write("passcode")
                        }
                    },
                    give: { hint in write("hint \(hint.name)") }
                )
            )
        }
    }
}

extension NotifierSubject {
    /// Notifiers that post to an endpoint in this process, on clocks that the clauses move.
    static var toEndpoint: Self { NotifierSubject { _ in place() } }

    /// Notifiers that post to an endpoint in this process, on the system's clock.
    static var toRunningEndpoint: Self { NotifierSubject(running: SystemClock()) { place() } }

    private static func place() -> Place {
        let endpoint = Endpoint()
        let isAllowed = Flag(true)
        let notifier = WebhookNotifier(
            URL(string: "https://pager.example/hook")!,
            over: endpoint,
            isAllowed: { isAllowed.value },
            lost: { _, _ in }
        )
        return Place(
            notifier: notifier,
            delivered: { endpoint.taken },
            setStuck: { isStuck in if isStuck { endpoint.gate.close() } else { endpoint.gate.open() } },
            forbid: { isAllowed.value = false }
        )
    }
}

/// An endpoint that keeps what was posted to it.
private final class Endpoint: HTTPTransport {
    /// Holds the answers back, as if the server was down.
    let gate = Gate()
    private let notes = Mutex<[LockNotification]>([])

    var taken: [LockNotification] { notes.withLock { $0 } }

    func check(_ server: URL) throws(HTTPTransportError) {}

    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        _ = await gate.pass()
        let body = request.body?.withBytes { bytes in Data(bytes.indices.map { bytes[$0] }) } ?? Data()
        guard let note = try? JSONDecoder().decode(LockNotification.self, from: body) else {
            return HTTPTransportAnswer(status: 400, fields: [:], body: Data())
        }
        notes.withLock { $0.append(note) }
        return HTTPTransportAnswer(status: 204, fields: [:], body: Data())
    }
}

/// A setting that a test changes.
private final class Flag: Sendable {
    private let state: Mutex<Bool>
    init(_ value: Bool) { state = Mutex(value) }

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
