internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import PasscodeLock
package import PortcullisCore
internal import ServiceLifecycle

/// The settings of the server.
package struct ServerSettings: Sendable {
    /// The address at which the server listens.
    package var host = "127.0.0.1"
    /// The port; 0 for any free port.
    package var port = 8080
    /// How long a session lasts.
    package var sessionLifetime = Duration.seconds(30 * 86_400)
    /// The limits of mailed codes.
    package var codes = CodePolicy()
    /// How many mails are sent at once.
    package var senders = 4
    /// How many requests may derive a key or wait for it.
    package var poolCapacity = 64
    /// How many of them may be of one account, which derives one key at a time.
    package var poolCapacityOfAccount = 8
    /// The limit of each address for all requests.
    package var limit = AddressLimit(requests: 1_200, window: .seconds(60))
    /// The limit of each address for requests that send mail or take codes.
    package var codeLimit = AddressLimit(requests: 60, window: .seconds(15 * 60))
    /// The step to which the times of answers about codes are rounded up, so that they tell nothing of
    /// accounts.
    package var answerStep = Duration.milliseconds(20)
    /// How long a mail waits before it is sent. The start of a mail command during a request would slow the
    /// answer.
    package var mailDelay: @Sendable () -> Duration = { .zero }
    /// How long a connection may be idle.
    package var idleTimeout = Duration.seconds(30)
    /// How long a request may take, from its head to the end of the answer. The time is shorter than
    /// ``idleTimeout``, so that a request that stands still is answered with a 408 before its connection
    /// ends.
    package var requestTimeout = Duration.seconds(20)
    /// How many connections may be open.
    package var connections = 2_000
    /// How many of them may come from one network. Behind a trusted proxy this has no effect, because all
    /// connections come from the proxy.
    package var connectionsOfNetwork = 100
    /// How many requests of one network may be under way, on all connections together.
    package var requestsOfNetwork = 50
    /// The token that administrators' calls have to contain; `nil` if such calls are refused.
    package var administratorToken: SecretBytes?
    /// Whether a proxy in front of the server sets `X-Forwarded-For`.
    package var trustsForwarded = false
    /// The policy for wrong passcodes. It holds for passcodes that are set from now on.
    package var throttle = ThrottlePolicy.escalating
    /// How much the clocks of servers on the store can differ. Delays are longer, and codes and sessions
    /// shorter, by this margin, so that a client gains nothing by asking another server.
    package var clockMargin = Duration.zero
    /// The gate that decides whether the server answers, apart from the state of its store.
    package var gate = ServiceGate()
    /// The servers on the store; the limits of addresses are divided by their number.
    package var fleet = FleetSize()
    /// How many bytes are written to check whether the store takes writes. The number exceeds the free room
    /// in a file's last block, because a store on a full disk may still take a byte.
    package var probeSize = 8_192
    /// Further metrics of the program, in the text format of Prometheus.
    package var moreMetrics: @Sendable () -> String = { "" }

    /// The settings that the program begins with.
    package init() {}
}

/// The account server with all of its parts.
package struct AccountServer: Sendable, CustomStringConvertible {
    /// The server's name, without its parts.
    package var description: String { "AccountServer" }

    private let settings: ServerSettings
    let clock: any LockClock
    let logger: Logger
    private let metrics = Metrics()
    private let outbox: Outbox
    private let book: ConnectionBook
    let api: AccountAPI

    /// A server.
    ///
    /// - Parameters:
    ///   - settings: how it runs.
    ///   - store: keeps passcodes, codes and sessions; several servers may share one.
    ///   - sealer: derives keys, on threads of its own.
    ///   - clock: tells the time; its wall clock measures throttles, codes and sessions.
    ///   - directory: who may sign in.
    ///   - mail: mails codes.
    ///   - logger: logs requests, but never their contents.
    package init(
        _ settings: ServerSettings,
        store: any TransactionalSecretStore,
        sealer: any PasscodeSealer,
        clock: any LockClock,
        directory: AccountDirectory,
        mail: @escaping MailRoom,
        logger: Logger
    ) throws {
        self.settings = settings
        self.clock = clock
        self.logger = logger
        book = ConnectionBook(
            limit: settings.connections,
            ofNetwork: settings.trustsForwarded ? nil : settings.connectionsOfNetwork
        )
        let items = try ServerItems(store: store, logger: logger)
        outbox = Outbox(
            mail,
            senders: settings.senders,
            clock: clock,
            delay: settings.mailDelay,
            metrics: metrics,
            logger: logger
        )
        let policy = settings.codes.judged(with: settings.clockMargin)
        let codes = CodeDesk(items: items, clock: clock, policy: policy, outbox: outbox)
        let accounts = Accounts(directory, items: items)
        let sessions = SessionDesk(
            items: items,
            clock: clock,
            accounts: accounts,
            lifetime: settings.sessionLifetime - settings.clockMargin
        )
        api = AccountAPI(
            accounts: accounts,
            sessions: sessions,
            codes: codes,
            passcodes: PasscodeDesk(
                items: items,
                sealer: sealer,
                clock: clock,
                pool: DerivationPool(
                    capacity: settings.poolCapacity,
                    ofAccount: settings.poolCapacityOfAccount
                ),
                codes: codes,
                sessions: sessions,
                throttle: settings.throttle.measured(by: .server),
                clockMargin: settings.clockMargin
            ),
            times: AnswerTimes(clock: clock, step: settings.answerStep),
            metrics: metrics,
            book: book,
            readiness: Readiness(items: items, clock: clock, logger: logger, size: settings.probeSize),
            gate: settings.gate,
            administratorToken: settings.administratorToken,
            moreMetrics: settings.moreMetrics
        )
    }

    /// Serves until the task is told to end gracefully or is cancelled.
    ///
    /// When the server is told to end gracefully, it answers requests that have begun, and sends the mails
    /// that wait. When it is cancelled, even during a graceful end, it ends the connections and drops the
    /// mails.
    ///
    /// Sessions of accounts that were removed since the last run are ended first.
    ///
    /// - Parameter onListening: is called with the port.
    /// - Throws: `SecretStoreError` if the store fails; errors of the network. A session that cannot be
    ///   understood is only logged.
    package func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        try await api.sessions.endThoseWithoutAccount(in: api.accounts.current)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    outbox, Sweeper(api: api, clock: clock, logger: logger), application(onListening),
                ],
                logger: logger
            )
        )
        // A cancelled listener drops connections that it has accepted but not begun, which ends the process.
        // So the group runs in a task of its own.
        try await withTaskCancellationHandler {
            try await Task { try await group.run() }.value
        } onCancel: {
            book.endAll()
            outbox.endAll()
            Task { await group.triggerGracefulShutdown() }
        }
    }

    private func application(
        _ onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let routes = api.routes
        let router = Router(context: ServerContext.self)
        router.add(middleware: WatchMiddleware(routes: routes, metrics: metrics, clock: clock))
        router.add(
            middleware: LimitMiddleware(
                limiter: AddressLimiter(settings.limit, sharedBy: settings.fleet),
                codeLimiter: AddressLimiter(settings.codeLimit, sharedBy: settings.fleet),
                underWay: RequestsUnderWay(limit: settings.requestsOfNetwork),
                trustsForwarded: settings.trustsForwarded,
                routes: routes,
                clock: clock
            )
        )
        router.add(middleware: GateMiddleware(gate: settings.gate, routes: routes))
        for route in routes.list {
            router.on(RouterPath(route.path), method: route.method, use: route.answer)
        }
        let channel = HTTP1Channel.Configuration(
            idleTimeout: TimeAmount(settings.idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8 * 1024,
                maxHeaderListSize: 16 * 1024,
                maxHeaderFieldCount: 64
            )
        )
        let (book, timeout) = (book, TimeAmount(settings.requestTimeout))
        let server = HTTPServerBuilder { responder in
            GuardedChannel(
                inner: HTTP1Channel(responder: responder, configuration: channel),
                book: book,
                requestTimeout: timeout
            )
        }
        return Application(
            router: router,
            server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port),
                serverName: nil
            ),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }
}

/// Removes old codes and sessions each hour, while the gate is open.
private struct Sweeper: Service, CustomStringConvertible {
    let api: AccountAPI
    let clock: any LockClock
    let logger: Logger

    // The group of services logs this text. A default text would contain mail addresses.
    var description: String { "Sweeper" }

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let next = clock.now.sinceBoot + .seconds(3_600)
                // If the sleep ends early, the sweeper goes on, because its end would end the server.
                try? await clock.sleep(until: .sinceBoot(next))
                guard !Task.isCancelled else { return }
                do { try await api.codes.sweep(through: api.gate) } catch { tell(error) }
                do { try await api.sessions.sweep(through: api.gate) } catch { tell(error) }
            }
        }
    }

    private func tell(_ error: any Error) {
        logger.error("sweeping failed", metadata: ["reason": "\(error)"])
    }
}
