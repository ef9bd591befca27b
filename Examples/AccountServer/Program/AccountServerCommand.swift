internal import AccountService
internal import ArgumentParser
internal import ConsoleNotifier
internal import EtcdStore
internal import Foundation
internal import GcryptKeystore
internal import Logging
internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting
internal import SealingStore
internal import ServiceLifecycle
internal import SystemClock
internal import UnixSignals

/// The account server as a program. It assembles the parts, and serves until it is told to stop.
@main
struct AccountServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account-server",
        abstract: "Serves accounts with passcodes over HTTP.",
        discussion: "Speaks plain HTTP: put a proxy with TLS in front of it."
    )

    @Option(help: "The accounts: a JSON list with id, role (staff or customer) and email.")
    var accounts: String

    @Option(help: "The folder of the store.")
    var store: String?

    @Flag(help: "Keep everything in memory, and forget it at the end.")
    var inMemory = false

    @OptionGroup var fleet: EtcdOptions

    @Option(help: "What wrong passcodes lead to: escalating delays, or nothing (unlimited).")
    var throttle = ThrottleName.escalating

    @Option(help: "Where to listen.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0: one that is free.")
    var port = 8080

    @Flag(help: "Count requests by the last address in X-Forwarded-For, which a proxy has to set.")
    var trustForwarded = false

    @Option(help: "Mail through this command instead of showing mails on standard output.")
    var sendmail: String?

    @Option(help: "Who mails are from.")
    var sender = "accounts@localhost"

    @Option(help: "How many keys are derived at once; each takes a core and 19 MiB.")
    var derivations = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)

    @Option(help: "How many requests may derive a key or wait for it.")
    var queue = 64

    @Option(help: "How many requests an address may send in a minute.")
    var requestsPerMinute = 1_200

    @Option(help: "How many requests for mail or with codes an address may send in 15 minutes.")
    var codeRequests = 60

    @Option(help: "How many connections may be open; never more than the system lets this process have.")
    var connections = 2_000

    @Option(help: "How many connections may be open from one network, unless a proxy is trusted.")
    var connectionsPerNetwork = 100

    @Option(help: "A file with the token of administrators' calls, 32 characters or more in its first line.")
    var administratorToken: String?

    @Option(help: "How many seconds requests that are under way have when the server is told to stop.")
    var grace = 20

    func validate() throws {
        guard [inMemory, store != nil, fleet.etcd != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --store, --etcd and --in-memory.")
        }
        guard MailAddress(sender) != nil else { throw ValidationError("--sender is no mail address.") }
        guard sendmail?.hasPrefix("/") ?? true else {
            throw ValidationError("--sendmail takes a whole path.")
        }
        guard derivations >= 1, queue >= derivations, requestsPerMinute >= 1, codeRequests >= 1, grace >= 0,
            connections >= 1, connectionsPerNetwork >= 1
        else {
            throw ValidationError("These limits let nobody in.")
        }
    }

    func run() async throws {
        // If a mail command or the log's reader goes away, a write fails. The signal must not end the server.
        _ = signal(SIGPIPE, SIG_IGN)
        // The start may take a while, for example until another server leaves the anchor. A signal that comes
        // meanwhile is kept until the accounts can be read again.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let clock = SystemClock()
        let lines = LineWriter(.standardError)
        defer { lines.flush() }
        let logger = Logger(label: "account-server") { _ in
            JSONLogHandler(now: { clock.now.wall }, sink: { lines.add($0) })
        }
        var settings = ServerSettings()
        settings.host = host
        settings.port = port
        settings.poolCapacity = queue
        settings.trustsForwarded = trustForwarded
        // The delay is longer than an answer takes, and its length is random.
        settings.mailDelay = { .milliseconds(Int.random(in: 100...500)) }
        settings.connections = connections
        settings.connectionsOfNetwork = connectionsPerNetwork
        if let limit = DescriptorLimit.raise() {
            // The store, mail commands and the system's own files need some descriptors too.
            settings.connections = min(connections, max(1, limit.now - 128))
            logger.notice(
                "descriptors",
                metadata: [
                    "before": "\(limit.before)", "now": "\(limit.now)",
                    "connections": "\(settings.connections)",
                ]
            )
        }
        settings.limit = AddressLimit(requests: requestsPerMinute, window: .seconds(60))
        settings.codeLimit = AddressLimit(requests: codeRequests, window: .seconds(15 * 60))
        settings.administratorToken = try readAdministratorToken()
        settings.throttle = throttle.policy
        let kept = try await openStore(&settings, clock, logger)
        let accounts = accounts
        let readAccounts: @Sendable () throws -> AccountDirectory = {
            try AccountDirectory(json: Array(Data(contentsOf: URL(fileURLWithPath: accounts))))
        }
        let console = ConsoleNotifier(clock: clock, sink: ConsoleNotifier.descriptorSink(1))
        let mail = mailRoom(console, clock)
        let server = try AccountServer(
            settings,
            store: kept.store,
            sealer: GcryptPasscodeSealer(concurrency: derivations),
            clock: clock,
            directory: try readAccounts(),
            mail: mail,
            logger: logger
        )
        var configuration = ServiceGroupConfiguration(
            // The services are told to end in reverse order: the last one first.
            services: kept.first + [
                Running(server: server, host: host, logger: logger),
                Rereading(server: server, hangUps: hangUps, readAccounts: readAccounts),
            ] + kept.last,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        // A client that never ends its request must not keep the server from ending.
        configuration.maximumGracefulShutdownDuration = .seconds(grace)
        try await ServiceGroup(configuration: configuration).run()
        await console.flush()
    }

    private func readAdministratorToken() throws -> SecretBytes? {
        guard let administratorToken else { return nil }
        let text = try String(contentsOf: URL(fileURLWithPath: administratorToken), encoding: .utf8)
        let line = text.split(whereSeparator: \.isNewline).first ?? ""
        guard line.utf8.count >= 32, line.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("\(administratorToken) has no token of 32 characters or more.")
        }
        return SecretBytes(copying: line.utf8)
    }

    private func openStore(
        _ settings: inout ServerSettings,
        _ clock: SystemClock,
        _ logger: Logger
    ) async throws -> Kept {
        if fleet.etcd != nil { return try await openFleet(&settings, clock, logger) }
        guard let store else { return Kept(store: InMemorySecretStore()) }
        let file = try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: "\(store)/accounts.keystore",
                credential: .keyFile("\(store)/accounts.key")
            )
        )
        return Kept(store: file)
    }

    private func openFleet(
        _ settings: inout ServerSettings,
        _ clock: SystemClock,
        _ logger: Logger
    ) async throws -> Kept {
        let watch = StoreWatch(logger)
        let (cluster, store) = try await fleet.open { watch.take($0) }
        let rule = ClockRule(limit: .seconds(fleet.clockDifference))
        settings.clockMargin = rule.margin
        settings.moreMetrics = { watch.text }
        // A cluster keeps each write until it is compacted, so the probe is small.
        settings.probeSize = 16
        // The gate stays closed until the clocks of the other servers are known.
        settings.gate.set("\(ClockRule.Objection.unknown)")
        let id = fleet.makeName()
        logger.notice("fleet", metadata: ["replica": "\(id)"])
        let clocks = ClockWatch(
            presence: EtcdPresence(cluster, id: id),
            id: id,
            rule: rule,
            gate: settings.gate,
            fleet: settings.fleet,
            newest: try NewestTime(store),
            watch: watch,
            clock: clock,
            logger: logger
        )
        return Kept(
            store: store,
            first: [SeenKeeper(store: store, clock: clock, logger: logger)],
            last: [clocks]
        )
    }

    private func mailRoom(_ console: ConsoleNotifier, _ clock: SystemClock) -> MailRoom {
        guard let sendmail, let sender = MailAddress(sender) else {
            return { ConsoleMail(recipient: $0, console: console) }
        }
        return { SendmailNotifier(recipient: $0, sender: sender, command: sendmail, clock: clock) }
    }
}

/// The store, and the services that run with it. `first` end after the server, and `last` end before it.
private struct Kept {
    var store: any TransactionalSecretStore
    var first: [any Service] = []
    var last: [any Service] = []
}

/// The names of throttle policies on the command line, the same as in the tool `portcullis`.
enum ThrottleName: String, ExpressibleByArgument, CaseIterable {
    case escalating
    case unlimited

    var policy: ThrottlePolicy {
        switch self {
        case .escalating: .escalating
        case .unlimited: .unlimited
        }
    }
}

/// The server as a service of the group, which handles signals.
private struct Running: Service, CustomStringConvertible {
    var description: String { "AccountServer" }

    let server: AccountServer
    let host: String
    let logger: Logger

    func run() async throws {
        let (host, logger) = (host, logger)
        try await server.run { port in
            logger.notice("listening", metadata: ["address": "http://\(host):\(port)"])
        }
    }
}

/// Reads the accounts again when the process gets `SIGHUP`.
private struct Rereading: Service, CustomStringConvertible {
    var description: String { "Accounts" }

    let server: AccountServer
    let hangUps: UnixSignalsSequence
    let readAccounts: @Sendable () throws -> AccountDirectory

    func run() async {
        await cancelWhenGracefulShutdown { await server.rereadAccounts(at: hangUps, readAccounts) }
    }
}
