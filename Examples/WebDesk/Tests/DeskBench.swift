import Foundation
import GoalLock
import HTTPPasscodeAccount
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing
import WebDeskApp

/// A desk on adapters in memory, with a clock that the test moves.
struct DeskBench {
    static let passcode = "834912"

    let clock = ManualClock()
    let secrets = InMemorySecretStore()
    let accounts = OneAccount()
    let desk: WebDesk
    /// The goal lock of the desk, as another process has it.
    let goal: GoalLockService
    private let backends: Backends

    /// - Parameter isSecure: whether the desk is served over TLS.
    init(isSecure: Bool = true) throws {
        backends = Backends(
            secrets: secrets,
            shield: InMemoryShieldController(),
            scheduler: ManualActivityScheduler(clock: clock),
            sealer: FastPasscodeSealer(),
            clock: clock
        )
        desk = try WebDesk(
            backends: backends,
            server: try #require(URL(string: "https://accounts.example")),
            transport: accounts,
            isSecure: isSecure
        )
        goal = try GoalLockService(
            backends: backends,
            configuration: GoalConfiguration(goal: 3, title: "Repairs")
        )
    }

    /// Sets the passcode of the person.
    func setPasscode() async throws {
        let user = try #require(UserID("anna"))
        let service = try PasscodeService(
            user: user,
            backends: backends,
            session: InMemorySession(user),
            configuration: PasscodeConfiguration(appName: "RepairDesk", timeout: .accountPreset)
        )
        try await service.set(SecretBytes(copying: Array(Self.passcode.utf8)))
    }

    /// Signs the person in, and calls the body with the person's browser.
    ///
    /// - Parameter host: the host in the address of the desk's pages.
    func run(
        at host: String = "localhost",
        _ body: @Sendable @escaping (DeskVisitor) async throws -> Void
    ) async throws {
        let responder = desk.router.buildResponder()
        let named = CallbackResponder { (request: Request, context: BasicRequestContext) -> Response in
            var head = request.head
            head.authority = host
            return try await responder.respond(
                to: Request(head: head, body: request.body),
                context: context
            )
        }
        try await Application(responder: named).test(.router) { client in
            var visitor = DeskVisitor(client: client)
            _ = try await visitor.signIn()
            try await body(visitor)
        }
    }
}

/// A browser without scripts, of the person at a ``DeskBench``.
struct DeskVisitor {
    let client: any TestClientProtocol
    private var cookie = ""

    init(client: any TestClientProtocol) { self.client = client }

    /// Signs in, and keeps the cookie.
    mutating func signIn() async throws -> TestResponse {
        let form = "email=anna%40example.com&code=123456&request=asked"
        let response = try await send(.post, "/login/staff/code", form)
        cookie = response.headers[.setCookie].map { String($0.prefix { $0 != ";" }) } ?? ""
        return response
    }

    func get(_ path: String) async throws -> TestResponse { try await send(.get, path) }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ form: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.accept: "text/html"]
        if !cookie.isEmpty { headers[.cookie] = cookie }
        if form != nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        return try await client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: form.map { ByteBuffer(string: $0) }
        ) { $0 }
    }

    /// Locks the session, as a script of its pages does.
    func lockNow() async throws {
        let headers: HTTPFields = [.cookie: cookie, .init("X-Portcullis")!: "1"]
        _ = try await client.execute(uri: "/_lock/lock", method: .post, headers: headers) { $0 }
    }

    /// Posts inputs from a page of the lock.
    func post(_ inputs: String, from page: String) async throws {
        let name = try #require(page.firstMatch(of: /data-page="([^"]*)"/)?.1)
        _ = try await send(.post, "/_lock/input", "page=\(name)&count=1&next=%2F&\(inputs)")
    }

    /// Loads the open screen until it takes inputs and contains a text. Returns the page.
    func waitForScreen(_ text: String) async throws -> String {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            let page = String(buffer: try await get("/_lock/input?/").body)
            if page.contains(text), page.contains("aria-busy=\"false\"") { return page }
            try #require(ContinuousClock.now < end, "no “\(text)”: \(page)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// An account server with one person of the staff, who can be put aside.
final class OneAccount: HTTPTransport {
    private let isPutAside = Mutex(false)
    private let ended = Mutex(0)

    func putAside() { isPutAside.withLock { $0 = true } }

    /// The number of sessions that were ended.
    var logOuts: Int { ended.withLock(\.self) }

    func check(_ server: URL) throws(HTTPTransportError) {}

    func send(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        let reason = isPutAside.withLock { $0 } ? "\"Call us.\"" : "null"
        let person = "{\"id\":\"anna\",\"role\":\"staff\",\"quarantine\":\(reason)}"
        let (status, json): (Int, String) =
            switch request.url.lastPathComponent {
            case "sign-in": (200, "{\"token\":\"token\",\"user\":\(person)}")
            case "session": (200, person)
            case "log-out": (200, "{}")
            // Without an answer the account would ask again after a time of the clock.
            default: (404, "{}")
            }
        if request.url.lastPathComponent == "log-out" { ended.withLock { $0 += 1 } }
        return HTTPTransportAnswer(
            status: status,
            fields: ["content-type": "application/json"],
            body: Data(json.utf8)
        )
    }
}
