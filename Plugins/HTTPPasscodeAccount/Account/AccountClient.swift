#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import PortcullisCore

/// Sends requests and interprets the statuses of the answers. The client contains no logic about passcodes.
struct AccountClient: Sendable {
    /// The effect that a request may have on the server.
    enum Effect: Sendable {
        /// The request changes nothing, however often it is sent.
        case none
        /// The request changes something. So the request is sent only once, and the outcome is unknown if the
        /// answer is lost.
        case act
    }

    struct Request {
        var method: HTTPTransportRequest.Method
        var path: String
        var effect: Effect
        var body: SecretBody?
    }

    let server: URL
    let transport: any HTTPTransport
    let configuration: HTTPAccountConfiguration
    let clock: any LockClock
    let token: @Sendable () async -> SecretBytes?
    /// Returns a number from 0 to 1. With 0 a wait keeps its full length, with 1 it is halved.
    let jitter: @Sendable () -> Double

    init(
        server: URL,
        transport: any HTTPTransport,
        configuration: HTTPAccountConfiguration,
        clock: any LockClock,
        token: @escaping @Sendable () async -> SecretBytes?,
        jitter: @escaping @Sendable () -> Double
    ) throws(PasscodeAccountError) {
        let isSafe =
            server.scheme == "https"
            || server.scheme == "http" && (server.isThisMachine || configuration.allowsPlainHTTP)
        guard let host = server.host(), !host.isEmpty, isSafe, server.user() == nil, server.query() == nil,
            server.hasSoundPort
        else {
            throw PasscodeAccountError(
                code: .unavailable,
                message:
                    "An account's address begins with https:// and has no user, no query and no port above 65535."
            )
        }
        do throws(HTTPTransportError) { try transport.check(server) } catch {
            throw PasscodeAccountError(code: .unavailable, message: error.message, cause: error)
        }
        self.server = server
        self.transport = transport
        self.configuration = configuration
        self.clock = clock
        self.token = token
        self.jitter = jitter
    }

    /// Sends a request. A request without effect is repeated if a repetition may help.
    ///
    /// - Returns: the decoded body of the server's answer.
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

    /// Makes the error for an answer that cannot be decoded.
    func misunderstood(_ effect: Effect) -> PasscodeAccountError {
        PasscodeAccountError(
            code: effect == .act ? .outcomeUnknown : .invalidAnswer,
            message: "The server's answer cannot be understood."
        )
    }

    @discardableResult
    func send(_ request: Request) async throws(PasscodeAccountError) -> HTTPTransportAnswer {
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

    /// Returns the wait before the next attempt; `nil` if there is no next attempt. There is none if a
    /// repetition cannot help, or if the server demands a longer wait than
    /// ``HTTPAccountConfiguration/longestWait``.
    private func pause(_ wait: Duration, after error: PasscodeAccountError) -> Duration? {
        guard [.unreachable, .serverFailure, .throttled].contains(error.code) else { return nil }
        let asked = error.retryAfter ?? .zero
        guard asked <= configuration.longestWait else { return nil }
        return max(asked, wait - wait / 2 * min(1, max(0, jitter())))
    }

    private func sendOnce(_ request: Request) async throws(PasscodeAccountError) -> HTTPTransportAnswer {
        guard !Task.isCancelled else { throw Self.cancelled }
        guard let token = await token().flatMap({ BearerToken($0) }) else { throw Self.notSignedIn(nil) }
        let prepared = HTTPTransportRequest(
            request.method,
            server.appending(path: request.path),
            token: token,
            body: request.body?.text
        )
        let answer: HTTPTransportAnswer
        do throws(HTTPTransportError) { answer = try await transport.send(prepared) } catch {
            throw self.error(error, request.effect)
        }
        guard (200..<300).contains(answer.status) else { throw problem(answer, request.effect) }
        return answer
    }

    // MARK: Errors of failed requests

    static let cancelled = PasscodeAccountError(code: .cancelled, message: "The request was cancelled.")

    private static func notSignedIn(_ message: String?) -> PasscodeAccountError {
        PasscodeAccountError(code: .notSignedIn, message: message ?? "Your session has ended. Sign in again.")
    }

    private func error(_ failure: HTTPTransportError, _ effect: Effect) -> PasscodeAccountError {
        if effect == .act, failure.mayBeCarriedOut {
            return PasscodeAccountError(
                code: .outcomeUnknown,
                message: "The server's answer did not arrive, or cannot be understood.",
                cause: failure
            )
        }
        return switch failure.code {
        case .cancelled: Self.cancelled
        case .invalidAnswer:
            PasscodeAccountError(
                code: .invalidAnswer,
                message: "The server's answer cannot be understood.",
                cause: failure
            )
        case .unsafe: PasscodeAccountError(code: .unavailable, message: failure.message, cause: failure)
        default:
            PasscodeAccountError(
                code: .unreachable,
                message: "The server cannot be reached.",
                cause: failure
            )
        }
    }

    private func problem(_ answer: HTTPTransportAnswer, _ effect: Effect) -> PasscodeAccountError {
        let told = answer.isJSON ? try? JSONDecoder().decode(ProblemAnswer.self, from: answer.body) : nil
        let wait =
            answer.fields["retry-after"].flatMap { RetryAfter.wait($0, at: clock.now.wall) }
            ?? told?.retryAfter.map { RetryAfter.wait(seconds: $0) }
        let message = told?.message
        let saysMayBeDone = effect == .act && told?.mayBeCarriedOut == true
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
        // A server with one of these statuses did not carry the request out, except if the answer says that
        // it may have done so. Other statuses, such as 524, may come from a proxy that passed the request on.
        case 501 where !saysMayBeDone, 503 where !saysMayBeDone, 505 where !saysMayBeDone,
            511 where !saysMayBeDone:
            return PasscodeAccountError(
                code: .serverFailure,
                message: message ?? "The server cannot answer now (\(answer.status)).",
                retryAfter: wait
            )
        case 500..<600:
            // The server may have failed half-way, or a proxy may have lost the request or its answer. So the
            // act may have been carried out, except if the answer says that it was not.
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
