internal import ArgumentParser
internal import ConsoleNotifier
internal import CronScheduler
internal import Foundation
internal import GcryptKeystore
internal import HTTPPasscodeAccount
internal import Hummingbird
internal import Logging
internal import NIOPosix
internal import PortcullisCore
internal import PortcullisTesting
internal import RepairShop
internal import SystemClock
internal import WebDeskApp

/// A repair shop's desk in a browser, behind a passcode that an account keeps: puts the parts together.
@main
struct WebDeskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-desk",
        abstract: "A repair shop's desk in a browser, behind a passcode lock.",
        discussion: """
            Without --server it serves its own accounts, and shows mails on its pages: staff anna@example.com and \
            quinn@example.com (put aside), customer carl@example.com.
            """
    )

    @Option(help: "Where the account server is, such as https://accounts.example.")
    var server: String?

    @Option(help: "The folder for what the desk keeps.")
    var home: String?

    @Option(help: "The port of localhost that it listens on; 0 for any.")
    var port = 8080

    @Option(help: "Lock after so many seconds without a sign of activity.")
    var idle: Int?

    private static let games = CategoryToken("games")
    private static let apps: [InMemoryShieldController.App] = [
        .init(AppToken("chess"), label: "Chess", categories: [games]),
        .init(AppToken("solitaire"), label: "Solitaire", categories: [games]),
        .init(AppToken("news"), label: "News"),
        .init(AppToken("chat"), label: "Chat"),
    ]

    func validate() throws {
        if let server, URL(string: server)?.host == nil {
            throw ValidationError("--server takes an address such as https://accounts.example.")
        }
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes a port, 0 to 65535.") }
        if let idle, idle < 1 { throw ValidationError("--idle takes a number of seconds.") }
    }

    func run() async throws {
        let clock = SystemClock()
        let folder = home ?? "\(NSHomeDirectory())/.local/share/web-desk"
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(folder)/desk.keystore", credential: .keyFile("\(folder)/desk.key"))
        )
        let backends = Backends(
            secrets: store,
            // A web server cannot shut apps of the person's device. These apps exist only for the screens.
            shield: InMemoryShieldController(apps: Self.apps, categoryLabels: [Self.games: "Games"]),
            scheduler: CronScheduler(clock: clock, journal: SecretStoreRunJournal(store)),
            notifier: ConsoleNotifier(clock: clock),
            sealer: GcryptPasscodeSealer(),
            clock: clock
        )
        let mails = DemoMail()
        let own =
            server == nil ? try await DemoServer.start(in: "\(folder)/server", clock: clock, mails) : nil
        guard let address = own?.address ?? server.flatMap({ URL(string: $0) }) else {
            throw ValidationError("--server takes an address.")
        }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let transport = AsyncHTTPTransport(on: loops)
        let desk = try WebDesk(
            backends: backends,
            server: address,
            transport: transport,
            // A browser trusts this machine's own address without TLS.
            isSecure: false,
            idleTimeout: idle.map { .seconds($0) },
            hint: { own == nil ? nil : await mails.last }
        )
        try await desk.launch()
        var logger = Logger(label: "web-desk")
        logger.logLevel = .warning
        let app = Application(
            router: desk.router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let address = "http://localhost:\(channel.localAddress?.port ?? 0)/\n"
                // A direct write is not held back if standard output is a pipe.
                FileHandle.standardOutput.write(Data(address.utf8))
            },
            logger: logger
        )
        try await app.runService()
        try await transport.shutdown()
        try await loops.shutdownGracefully()
        await own?.stop()
        await store.close()
    }
}
