#if canImport(FoundationEssentials)
internal import FoundationEssentials
#endif
internal import Foundation
internal import PortcullisCore

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends requests and reads what the answers' statuses mean; knows nothing of passcodes.
struct AccountClient: Sendable {
    /// What a request may have done once it is under way.
    enum Effect: Sendable {
        /// Nothing, however often it is sent.
        case none
        /// Something: it is sent once, and a lost answer leaves open what became of it.
        case act
    }

    struct Request {
        var method: String
        var path: String
        var effect: Effect
        var body: SecretBody?
    }

    let server: URL
    let configuration: HTTPAccountConfiguration
    let clock: any LockClock
    let token: (@Sendable () async -> SecretBytes?)?
    /// Between 0 and 1: which part of the half of a wait is left out.
    let jitter: @Sendable () -> Double

    init(
        server: URL,
        configuration: HTTPAccountConfiguration,
        clock: any LockClock,
        token: (@Sendable () async -> SecretBytes?)?,
        jitter: @escaping @Sendable () -> Double,
        environment: [String: String]
    ) throws(PasscodeAccountError) {
        let host = server.host()?.lowercased()
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        let isSafe =
            server.scheme == "https"
            || server.scheme == "http" && (isLoopback || configuration.allowsPlainHTTP)
        guard let host, !host.isEmpty, isSafe, server.user() == nil, server.query() == nil else {
            throw PasscodeAccountError(
                code: .unavailable,
                message: "An account's address begins with https:// and has no user and no query."
            )
        }
        #if canImport(FoundationNetworking)
        if server.scheme == "http", isLoopback, ProxyEnvironment.leadsAway(host, in: environment) {
            throw PasscodeAccountError(
                code: .unavailable,
                message: "Plain HTTP would go through the environment's proxy. Name \(host) in no_proxy."
            )
        }
        #endif
        self.server = server
        self.configuration = configuration
        self.clock = clock
        self.token = token
        self.jitter = jitter
    }

    /// Sends a request, and sends one without effect again where that may help.
    ///
    /// - Returns: the decoded answer of a success.
    func send<Answer: Decodable>(
        _ request: Request,
        as answer: Answer.Type
    ) async throws(PasscodeAccountError) -> Answer {
        let found = try await send(request)
        guard found.isJSON, let decoded = try? JSONDecoder().decode(Answer.self, from: found.body) else {
            throw misunderstood(request.effect)
        }
        return decoded
    }

    /// The error for an answer that says nothing.
    func misunderstood(_ effect: Effect) -> PasscodeAccountError {
        PasscodeAccountError(
            code: effect == .act ? .outcomeUnknown : .invalidAnswer,
            message: "The server's answer cannot be understood."
        )
    }

    @discardableResult
    func send(_ request: Request) async throws(PasscodeAccountError) -> AccountAnswer {
        var waits = request.effect == .none ? configuration.backoff[...] : []
        while true {
            let error: PasscodeAccountError
            do throws(PasscodeAccountError) { return try await sendOnce(request) } catch let failure {
                error = failure
            }
            guard let wait = waits.popFirst(), let pause = pause(wait, after: error) else { throw error }
            do { try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + pause)) } catch {
                throw Self.cancelled
            }
        }
    }

    /// How long to wait before the next try; `nil` where there is no use in one.
    private func pause(_ wait: Duration, after error: PasscodeAccountError) -> Duration? {
        guard [.unreachable, .serverFailure, .throttled].contains(error.code) else { return nil }
        if error.code == .throttled, error.retryAfter == nil { return nil }
        let asked = error.retryAfter ?? .zero
        guard asked <= configuration.longestWait else { return nil }
        return max(asked, wait - wait / 2 * min(1, max(0, jitter())))
    }

    private func sendOnce(_ request: Request) async throws(PasscodeAccountError) -> AccountAnswer {
        let prepared = try await prepare(request)
        let answer: AccountAnswer
        do { answer = try await AccountExchange.send(prepared, configuration) } catch {
            throw self.error(error, request.effect)
        }
        guard (200..<300).contains(answer.status) else { throw problem(answer, request.effect) }
        return answer
    }

    private func prepare(_ request: Request) async throws(PasscodeAccountError) -> URLRequest {
        guard !Task.isCancelled else { throw Self.cancelled }
        var prepared = URLRequest(url: server.appending(path: request.path))
        prepared.httpMethod = request.method
        prepared.setValue("application/json, application/problem+json", forHTTPHeaderField: "Accept")
        if let token { prepared.setValue(try bearer(await token()), forHTTPHeaderField: "Authorization") }
        if let body = request.body {
            prepared.setValue("application/json", forHTTPHeaderField: "Content-Type")
            prepared.httpBody = body.data()
        }
        return prepared
    }

    /// The field's value; a token that could end the field is none.
    private func bearer(_ token: SecretBytes?) throws(PasscodeAccountError) -> String {
        let text = token.flatMap { token in
            token.withBytes { bytes -> String? in
                guard bytes.count > 0, bytes.indices.allSatisfy({ (0x21...0x7E).contains(bytes[$0]) }) else {
                    return nil
                }
                return bytes.indices.reduce(into: "Bearer ") {
                    $0.unicodeScalars.append(UnicodeScalar(bytes[$1]))
                }
            }
        }
        guard let text else { throw Self.notSignedIn(nil) }
        return text
    }

    // MARK: What became of it

    static let cancelled = PasscodeAccountError(code: .cancelled, message: "The request was cancelled.")

    private static func notSignedIn(_ message: String?) -> PasscodeAccountError {
        PasscodeAccountError(code: .notSignedIn, message: message ?? "Your session has ended. Sign in again.")
    }

    private func error(_ failure: NoAnswer, _ effect: Effect) -> PasscodeAccountError {
        let mayBeDone = effect == .act && failure.wasSent
        let number = failure.number.map { " [\($0)]" } ?? ""
        switch failure.reason {
        case _ where mayBeDone:
            return PasscodeAccountError(
                code: .outcomeUnknown,
                message: "The server's answer did not arrive.\(number)"
            )
        case .cancelled: return Self.cancelled
        case .tooLarge: return misunderstood(effect)
        case .notConnected, .lost:
            return PasscodeAccountError(
                code: .unreachable,
                message: "The server cannot be reached.\(number)"
            )
        }
    }

    private func problem(_ answer: AccountAnswer, _ effect: Effect) -> PasscodeAccountError {
        let told = answer.isJSON ? try? JSONDecoder().decode(ProblemAnswer.self, from: answer.body) : nil
        let wait =
            answer.retryAfter.flatMap { RetryAfter.wait($0, at: clock.now.wall) }
            ?? told?.retryAfter.map { .seconds(max(0, min($0, 86_400))) }
        let message = told?.message
        switch answer.status {
        case 401: return Self.notSignedIn(message)
        case 409:
            return PasscodeAccountError(
                code: .conflict,
                message: message ?? "Your account was changed meanwhile."
            )
        case 429:
            return PasscodeAccountError(
                code: .throttled,
                message: message ?? "Too many tries.",
                retryAfter: wait ?? .seconds(60)
            )
        case 400..<500:
            return PasscodeAccountError(
                code: .refused,
                message: message ?? "The server refused (\(answer.status))."
            )
        // Others may come from a proxy that has handed the request on, such as 524.
        case 501, 503, 505, 511:
            return PasscodeAccountError(
                code: .serverFailure,
                message: message ?? "The server cannot answer now (\(answer.status)).",
                retryAfter: wait
            )
        case 500..<600:
            // A server that broke down half-way, or something between that lost it, cannot say what became of an act.
            let mayBeDone = effect == .act && told?.mayBeCarriedOut != false
            return PasscodeAccountError(
                code: mayBeDone ? .outcomeUnknown : .serverFailure,
                message: message ?? "The server failed (\(answer.status)).",
                retryAfter: mayBeDone ? nil : wait
            )
        default:
            return PasscodeAccountError(
                code: effect == .act ? .outcomeUnknown : .invalidAnswer,
                message: "The server answered something else (\(answer.status))."
            )
        }
    }
}
