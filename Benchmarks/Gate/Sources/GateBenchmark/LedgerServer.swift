internal import ArgumentParser
internal import Foundation
internal import Hummingbird
internal import HummingbirdLock
internal import Logging
internal import NIOCore
internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting
internal import SystemClock

/// The app that is measured, in a process of its own: prints its port, and serves until it is killed.
struct LedgerServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    @Flag(help: "Put it behind the lock.") var locked = false
    @Option(help: "Lock after so many seconds of absence; none: never.") var timeout: Int?

    func run() async throws {
        let router = Router()
        if locked { addLock(to: router) } else { router.post("/login") { _, _ in HTTPResponse.Status.ok } }
        let row = ByteBuffer(string: #"{"orders":[{"number":1041,"thing":"Bicycle, rear wheel"}]}"#)
        let page = ByteBuffer(repeating: 0x78, count: 8_000)
        let picture = ByteBuffer(repeating: 0x78, count: 64_000)
        for (path, body) in [("/api", row), ("/page", page), ("/picture", picture)] {
            router.get(RouterPath(path)) { _, _ in Response(status: .ok, body: ResponseBody(byteBuffer: body))
            }
        }
        var logger = Logger(label: "ledger")
        logger.logLevel = .error
        let app = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), backlog: 4096),
            onServerRunning: { channel in
                // Not held back where standard output is a pipe.
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: logger
        )
        try await app.run()
    }

    private func addLock(to router: Router<BasicRequestContext>) {
        let clock = SystemClock()
        let storage = InMemorySecretStore.Storage()
        let sealer = FastPasscodeSealer()
        var configuration = WebLockConfiguration()
        configuration.isSecure = false
        let lock = WebLock(configuration, clock: clock)
        let timeout = timeout.map { LockTimeout.after(.seconds($0)) } ?? .never
        router.add(middleware: lock.gate())
        router.post("/login") { request, _ in
            guard let user = request.uri.queryParameters["user"].flatMap({ UserID(String($0)) }) else {
                throw HTTPError(.badRequest)
            }
            let service = try PasscodeService(
                user: user,
                backends: Backends(secrets: InMemorySecretStore(storage), sealer: sealer, clock: clock),
                session: InMemorySession(user),
                configuration: PasscodeConfiguration(appName: "Ledger", timeout: timeout, launch: .never)
            )
            try await service.set(SecretBytes(copying: "834912".utf8))
            let (_, cookie) = try await lock.signIn(service, replacing: request)
            var response = Response(status: .ok)
            response.setCookie(cookie)
            return response
        }
    }
}
