internal import ArgumentParser
internal import Foundation
internal import GcryptKeystore
internal import HTTPPasscodeAccount
internal import NIOCore
internal import NIOPosix
internal import PortcullisCore
internal import RepairShop
internal import SystemClock
internal import TerminalHost

/// A repair shop's desk in a terminal, behind a passcode that an account keeps: puts the parts together.
@main
struct RepairDeskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair-desk",
        abstract: "A repair shop's desk behind a passcode lock.",
        discussion: """
            Without --server it serves its own accounts, and shows mails on its last line: staff anna@example.com and \
            quinn@example.com (put aside), customer carl@example.com.
            """
    )

    @Option(help: "Where the account server is, such as https://accounts.example.")
    var server: String?

    @Option(help: "The folder for what this device keeps.")
    var home: String?

    @Option(help: "Lock after so many seconds without a key.")
    var idle: Int?

    func validate() throws {
        if let server, URL(string: server)?.host == nil {
            throw ValidationError("--server takes an address such as https://accounts.example.")
        }
        if let idle, idle < 1 { throw ValidationError("--idle takes a number of seconds.") }
    }

    @MainActor
    func run() async throws {
        let terminal = Terminal()
        guard terminal.isTerminal else {
            throw ValidationError("RepairDesk draws on a terminal; standard input and output must be one.")
        }
        let clock = SystemClock()
        let folder = home ?? "\(NSHomeDirectory())/.local/share/repair-desk"
        let kept = server.map { "\(folder)/\(Self.folder(for: $0))" } ?? folder
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(kept)/desk.keystore", credential: .keyFile("\(kept)/desk.key"))
        )
        let backends = Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: clock)
        let mails = DemoMail()
        let own =
            server == nil ? try await DemoServer.start(in: "\(folder)/server", clock: clock, mails) : nil
        let address = try own?.address ?? Self.address(server)
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let transport = AsyncHTTPTransport(on: loops)
        let desk: Desk
        do {
            desk = try Desk(
                backends: backends,
                server: address,
                transport: transport,
                idleTimeout: idle.map { .seconds($0) },
                hint: own.map { "Accounts are served at \($0.address), also for a second desk (--server)." }
            )
        } catch {
            try await transport.shutdown()
            try await loops.shutdownGracefully()
            throw error
        }
        let ending: Result<Int32, TerminalHostError>
        do throws(TerminalHostError) {
            let mails = own == nil ? nil : mails
            ending = .success(try await DeskPicture.show(desk, mails: mails, on: terminal, clock: clock))
        } catch {
            // All parts are closed even after an error.
            ending = .failure(error)
        }
        // Without this wait, the session of a person who signs out and closes the desk would stay open at the
        // server.
        await desk.session.finish()
        try await transport.shutdown()
        try await loops.shutdownGracefully()
        await own?.stop()
        await store.close()
        let status = try ending.get()
        if status != 0 { throw ExitCode(status) }
    }

    /// Returns the name of a server's folder. Each server has its own, because another server would get the
    /// first one's token, and its `anna` would be taken for the first one's.
    ///
    /// Scheme and host do not depend on the case (RFC 3986, section 6.2.2.1), but a path does.
    static func folder(for server: String) -> String {
        let plain = CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "0123456789.-"))
        let end = server.range(of: "://").map { scheme in
            server[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? server.endIndex
        }
        let name = server[..<(end ?? server.startIndex)].lowercased() + server[(end ?? server.startIndex)...]
        return name.addingPercentEncoding(withAllowedCharacters: plain) ?? "other"
    }

    private static func address(_ text: String?) throws -> URL {
        guard let text, let url = URL(string: text) else {
            throw ValidationError("--server takes an address.")
        }
        return url
    }
}
