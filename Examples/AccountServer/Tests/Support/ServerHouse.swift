import AccountService
import Logging
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// A server in this process on a loopback port, with all parts that a test observes or controls.
struct ServerHouse: Sendable {
    let clock: ManualClock
    let tray: MailTray
    let sealer: FastPasscodeSealer
    let log: LineLog
    let client: APIClient
    let server: AccountServer
    /// Has the server take other accounts.
    let reload: @Sendable ([Account]) async throws -> Void
    let port: Int

    /// Anna is staff, Carl is a customer, Dora may not have a passcode, and Emil is held back.
    static let accounts: [Account] = [
        .init(id: UserID("anna")!, role: .staff, email: MailAddress("anna@example.com")!),
        .init(id: UserID("carl")!, role: .customer, email: MailAddress("carl@example.com")!),
        .init(
            id: UserID("dora")!,
            role: .staff,
            email: MailAddress("dora@example.com")!,
            passcodesEnabled: false
        ),
        .init(
            id: UserID("emil")!,
            role: .staff,
            email: MailAddress("emil@example.com")!,
            quarantine: "An invoice is open."
        ),
    ]

    /// Runs a body with a server that ends afterwards.
    static func open(
        _ settings: ServerSettings = ServerSettings(),
        store: any TransactionalSecretStore = InMemorySecretStore(),
        accounts: [Account] = accounts,
        _ body: (ServerHouse) async throws -> Void
    ) async throws {
        var settings = settings
        settings.port = 0
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let (clock, tray, sealer, log) = (ManualClock(), MailTray(), FastPasscodeSealer(), LineLog())
        let logger = Logger(label: "account-server") { _ in
            JSONLogHandler(level: .trace, now: { clock.now.wall }, sink: { log.add($0) })
        }
        let server = try AccountServer(
            settings,
            store: store,
            sealer: sealer,
            clock: clock,
            directory: AccountDirectory(accounts),
            mail: tray.room,
            logger: logger
        )
        let running = Task { try await server.run { listening.yield($0) } }
        let port = try #require(await ports.first { _ in true })
        let house = ServerHouse(
            clock: clock,
            tray: tray,
            sealer: sealer,
            log: log,
            client: try await APIClient(port: port),
            server: server,
            reload: {
                let directory = try AccountDirectory($0)
                server.replaceAccounts(with: directory)
                await server.endSessions(withoutAccountIn: directory)
            },
            port: port
        )
        do { try await body(house) } catch {
            running.cancel()
            _ = await running.result
            throw error
        }
        running.cancel()
        _ = await running.result
    }

    /// Waits until no mail is under way, and returns the number of mails. So the next mail is that of the
    /// next request.
    func mails() async throws -> Int {
        while try await !client.send("GET", "/metrics").text.contains("\naccount_server_mails_unsent 0\n") {
            // Without a pause, the servers of all tests would do little else than answer this question.
            try await Task.sleep(for: .milliseconds(50))
        }
        return tray.count
    }

    func signIn(_ email: String = "anna@example.com", _ role: String = "staff") async throws -> String {
        let before = try await mails()
        return try await client.signIn(email, role) { try await tray.code(after: before) }
    }

    /// Signs a person in, and returns the server's whole answer.
    func answerToSignIn(
        _ email: String = "anna@example.com",
        _ role: String = "staff"
    ) async throws -> APIClient.Reply {
        let before = try await mails()
        return try await client.answerToSignIn(email, role) { try await tray.code(after: before) }
    }
}

/// The lines that a server logged.
final class LineLog: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined() } }
}
