#if canImport(FoundationEssentials)
internal import FoundationEssentials
#endif
internal import Foundation
internal import PortcullisCore
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What a server answered.
struct AccountAnswer: Sendable {
    var status: Int
    var retryAfter: String?
    var isJSON: Bool
    var body: Data
}

/// Why there is no answer.
struct NoAnswer: Error {
    enum Reason: Sendable {
        /// The connection came to nothing.
        case notConnected
        /// It was lost, or nothing came for too long.
        case lost
        case cancelled
        case tooLarge
    }

    var reason: Reason
    /// Whether a part of the request's body may have left.
    var wasSent: Bool
    /// The system's number for what went wrong, if it has one.
    var number: Int?
}

/// One request and its answer, on a connection of its own.
///
/// Connections are not used twice: on one that the server has closed meanwhile, the system's client would send a
/// request again by itself, and a passcode that is sent twice counts twice. Redirections are not followed, because a
/// passcode is for one server only; nothing is cached, and no cookie is kept.
final class AccountExchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result<AccountAnswer, NoAnswer>, Never>?
        var task: URLSessionDataTask?
        var head: (status: Int, retryAfter: String?, isJSON: Bool)?
        var body = Data()
        var wasSent = false
        var isCancelled = false
        var isTooLarge = false
    }

    private let state = Mutex(State())
    private let largestAnswer: Int

    private init(largestAnswer: Int) { self.largestAnswer = largestAnswer }

    static func send(
        _ request: URLRequest,
        _ configuration: HTTPAccountConfiguration
    ) async throws(NoAnswer) -> AccountAnswer {
        let exchange = AccountExchange(largestAnswer: configuration.largestAnswer)
        let session = URLSession(
            configuration: settings(configuration),
            delegate: exchange,
            delegateQueue: nil
        )
        // The session holds its delegate until it is told to end.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        // The session's own limit for the whole holds on Apple platforms only: elsewhere a server that sends a byte now
        // and then would be listened to for ever.
        let limit = Task {
            do { try await Task.sleep(for: configuration.timeout) } catch { return }
            task.cancel()
        }
        defer { limit.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = exchange.state.withLock { state in
                    state.continuation = continuation
                    state.task = task
                    return state.isCancelled
                }
                if isCancelled {
                    exchange.end(.failure(NoAnswer(reason: .cancelled, wasSent: false)))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            exchange.state.withLock { state -> URLSessionDataTask? in
                state.isCancelled = true
                return state.task
            }?.cancel()
        }
        return try result.get()
    }

    private static func settings(_ configuration: HTTPAccountConfiguration) -> URLSessionConfiguration {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = configuration.idleTimeout / .seconds(1)
        settings.timeoutIntervalForResource = configuration.timeout / .seconds(1)
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        return settings
    }

    private func end(_ result: Result<AccountAnswer, NoAnswer>) {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }?.resume(returning: result)
    }

    // MARK: What the session tells

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The delegate's answer is the end of it: the redirection itself becomes the answer.
        note(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        state.withLock { $0.wasSent = true }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note(response)
        completionHandler(.allow)
    }

    private func note(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let type = response.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
        state.withLock {
            $0.head = (
                response.statusCode, response.value(forHTTPHeaderField: "Retry-After"),
                type.hasPrefix("application/json") || type.hasPrefix("application/problem+json")
            )
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            state.isTooLarge = state.body.count + data.count > largestAnswer
            if !state.isTooLarge { state.body.append(data) }
            return state.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let result = state.withLock { state -> Result<AccountAnswer, NoAnswer> in
            // An answer that is there counts, whatever became of the connection or the caller afterwards.
            if error == nil, let head = state.head {
                return .success(
                    AccountAnswer(
                        status: head.status,
                        retryAfter: head.retryAfter,
                        isJSON: head.isJSON,
                        body: state.body
                    )
                )
            }
            let code = (error as? URLError)?.code
            // An answer that began is proof that the request arrived.
            let wasSent = state.wasSent || state.head != nil
            let reason: NoAnswer.Reason =
                if state.isTooLarge { .tooLarge } else if state.isCancelled { .cancelled } else {
                    Self.cameToNothing(code) ? .notConnected : .lost
                }
            return .failure(
                NoAnswer(reason: reason, wasSent: wasSent, number: code?.rawValue)
            )
        }
        end(result)
    }

    /// Whether no connection was made, or none that is safe.
    private static func cameToNothing(_ code: URLError.Code?) -> Bool {
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
            .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
            .appTransportSecurityRequiresSecureConnection, .unsupportedURL, .badURL:
            true
        default: false
        }
    }
}
