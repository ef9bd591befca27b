package import Foundation
package import HTTPPasscodeAccount
internal import PasscodeLock
package import PortcullisCore

/// Signs people in at the account server, with a code that it mails.
package struct SignInClient: Sendable {
    /// A session that has begun.
    package struct Opened: Sendable {
        package var token: SecretBytes
        package var session: DeskRules.Session

        /// A session of these parts.
        package init(token: SecretBytes, session: DeskRules.Session) {
            self.token = token
            self.session = session
        }
    }

    private struct Wish: Encodable {
        var email: String
        var role: String
        var code: String?
        var request: AccountCodeRequest?
    }

    private struct Requested: Decodable {
        var request: AccountCodeRequest
    }

    private struct Person: Decodable {
        var id: UserID
        var role: String
        var quarantine: String?
    }

    private struct Answer: Decodable {
        var token: String
        var user: Person
    }

    private struct Problem: Decodable {
        var title: String?
        var detail: String?
    }

    private let server: URL
    private let transport: any HTTPTransport

    package init(server: URL, transport: any HTTPTransport) {
        self.server = server
        self.transport = transport
    }

    /// Has a code mailed. The result does not show whether the address is known.
    ///
    /// - Returns: the identifier that has to be sent back with the code.
    package func requestCode(
        _ address: String,
        as role: DeskRole
    ) async throws(SignInError) -> AccountCodeRequest {
        let data = try await send("request-sign-in", Wish(email: address, role: role.word))
        return try Self.decode(Requested.self, data).request
    }

    /// Begins a session with a code.
    package func signIn(
        _ address: String,
        as role: DeskRole,
        code: String,
        of request: AccountCodeRequest
    ) async throws(SignInError) -> Opened {
        let wish = Wish(email: address, role: role.word, code: code, request: request)
        let data = try await send("sign-in", wish)
        let answer = try Self.decode(Answer.self, data)
        let token = SecretBytes(copying: Array(answer.token.utf8))
        // With a token that cannot be sent, the person would be signed in on this device only.
        guard BearerToken(token) != nil else { throw .misunderstood }
        return Opened(token: token, session: try Self.session(answer.user))
    }

    /// Returns the person whose session it is.
    package func session(_ token: SecretBytes) async throws(SignInError) -> DeskRules.Session {
        guard let token = BearerToken(token) else { throw .notSignedIn }
        let answer = try await send(
            HTTPTransportRequest(.get, server.appending(path: "api/auth/session"), token: token)
        )
        return try Self.session(try Self.decode(Person.self, answer))
    }

    private static func session(_ person: Person) throws(SignInError) -> DeskRules.Session {
        guard let role = DeskRole(word: person.role) else { throw .misunderstood }
        // Even without a readable reason, the account is put aside.
        let reason = person.quarantine.map { ServerText.line($0) ?? "The server gave no reason." }
        return DeskRules.Session(person.id, as: role, quarantine: reason)
    }

    private func send(_ name: String, _ wish: Wish) async throws(SignInError) -> Data {
        let body: Data
        do { body = try JSONEncoder().encode(wish) } catch { throw .misunderstood }
        return try await send(
            HTTPTransportRequest(
                .post,
                server.appending(path: "api/auth/\(name)"),
                body: SecretBytes(copying: body)
            )
        )
    }

    private func send(_ request: HTTPTransportRequest) async throws(SignInError) -> Data {
        let answer: HTTPTransportAnswer
        do throws(HTTPTransportError) { answer = try await transport.send(request) } catch {
            throw error.code == .invalidAnswer ? .misunderstood : .unreachable
        }
        switch answer.status {
        case 200..<300: return answer.body
        case 401 where request.method == .get: throw .notSignedIn
        default:
            let problem = try? JSONDecoder().decode(Problem.self, from: answer.body)
            let text = (problem?.detail ?? problem?.title).flatMap(ServerText.line)
            throw .refused(text ?? "The server answered \(answer.status).")
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(SignInError)
        -> Value
    {
        do { return try JSONDecoder().decode(type, from: data) } catch { throw .misunderstood }
    }
}

/// The reason why a person could not be signed in.
package enum SignInError: Error {
    /// The server could not be reached.
    case unreachable
    /// The session has ended.
    case notSignedIn
    /// The server refused, with this reason.
    case refused(String)
    /// The answer could not be understood.
    case misunderstood

    /// One sentence for the person.
    package var text: String {
        switch self {
        case .unreachable: "The server cannot be reached. Check your connection and try again."
        case .notSignedIn: "Your session has ended. Sign in again."
        case .refused(let why): why
        case .misunderstood: "The server's answer was not understood."
        }
    }
}
