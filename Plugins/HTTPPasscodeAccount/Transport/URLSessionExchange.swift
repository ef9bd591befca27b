#if canImport(FoundationEssentials)
internal import PortcullisCore
internal import FoundationEssentials
#endif
internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Sends one request and reads its answer, on a connection of its own.
final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    struct State {
        var continuation: CheckedContinuation<Result<HTTPTransportAnswer, HTTPTransportError>, Never>?
        var task: URLSessionDataTask?
        var answer: HTTPTransportAnswer?
        var wasSent = false
        /// Whether the server answered with a challenge. The answer then has no body.
        var isChallenged = false
        /// The reason why this process ended the task; `nil` if it did not.
        private(set) var ending: HTTPTransportError.Code?

        /// Stores the reason for ending the task. Later reasons are ignored, because they follow from the
        /// first reason.
        mutating func end(as reason: HTTPTransportError.Code) { ending = ending ?? reason }
    }

    private let state = Mutex(State())
    private let largestAnswer: Int

    private init(largestAnswer: Int) { self.largestAnswer = largestAnswer }

    static func send(
        _ request: URLRequest,
        _ limits: HTTPTransportLimits
    ) async throws(HTTPTransportError) -> HTTPTransportAnswer {
        let exchange = URLSessionExchange(largestAnswer: limits.largestAnswer)
        let session = URLSession(
            configuration: settings(limits),
            delegate: exchange,
            delegateQueue: nil
        )
        // The session retains its delegate until the session is invalidated. Without this call, both would
        // leak.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        // The session's own time limit works only on Apple platforms. On other systems a server could extend
        // the request without end, with a byte now and then. So a task of this transport limits the exchange.
        let limit = Task {
            do { try await Task.sleep(for: limits.timeout) } catch { return }
            exchange.end(as: .timedOut)
        }
        defer { limit.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = exchange.state.withLock { state in
                    state.continuation = continuation
                    state.task = task
                    return state.ending != nil
                }
                if isCancelled {
                    // The exchange has ended before the data task was started. A data task that is never
                    // started does not end by itself. It would keep its session alive, and the session would
                    // keep its delegate alive. So the data task is cancelled here.
                    exchange.end(as: .cancelled)
                    exchange.resume(.failure(exchange.error(.cancelled, "cancelled")))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            exchange.end(as: .cancelled)
        }
        return try result.get()
    }

    static func settings(_ limits: HTTPTransportLimits) -> URLSessionConfiguration {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = limits.idleTimeout / .seconds(1)
        settings.timeoutIntervalForResource = limits.timeout / .seconds(1)
        #if canImport(Darwin)
        // Without this line, an app's exception to App Transport Security could allow earlier versions of
        // TLS.
        settings.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        return settings
    }

    /// Stores the reason why the exchange ends, and cancels the task.
    private func end(as ending: HTTPTransportError.Code) {
        let task = state.withLock { state in
            state.end(as: ending)
            return state.task
        }
        // Outside of Apple platforms, cancelling waits for the session's work, which may take long. The
        // caller's thread belongs to the thread pool, and may hold a lock that this work needs. So the task
        // is cancelled on another thread.
        DispatchQueue.global().async { task?.cancel() }
    }

    private func resume(_ result: Result<HTTPTransportAnswer, HTTPTransportError>) {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }?.resume(returning: result)
    }

    /// Makes an error. If the answer began, the server has received the request and may have carried it out.
    private func error(_ code: HTTPTransportError.Code, _ message: String) -> HTTPTransportError {
        let mayBeCarriedOut = state.withLock { $0.wasSent || $0.answer != nil }
        return HTTPTransportError(code, mayBeCarriedOut: mayBeCarriedOut, message: message)
    }

    // MARK: Callbacks of the session

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // With `nil` in place of a new request, the session does not follow the redirection. The response
        // that asked for the redirection becomes the answer.
        _ = note(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // Every challenge needs a reply, or the task never ends. On Linux a refusal ends the task without the
        // server's answer. So the answer is made from the challenge, without a body.
        let response = challenge.failureResponse as? HTTPURLResponse
        state.withLock {
            $0.answer = HTTPTransportAnswer(status: response?.statusCode ?? 401, fields: [:], body: Data())
            $0.isChallenged = true
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        // For a challenge about the server's certificate, the system verifies the certificate. All other
        // challenges are rejected, so that the caller receives the status 401.
        let isAboutTrust =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        completionHandler(isAboutTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
        #endif
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
        if note(response) { return completionHandler(.allow) }
        end(as: .invalidAnswer)
        completionHandler(.cancel)
    }

    /// Stores the head of an answer.
    ///
    /// - Returns: `false` if the answer has to be refused: it is not HTTP, or its body is encoded.
    private func note(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
        state.withLock {
            $0.answer = HTTPTransportAnswer(status: response.statusCode, fields: fields, body: Data())
        }
        return HTTPTransportAnswer.isIdentity(encoding: fields["content-encoding"])
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            // Bytes that arrive after the task was ended are dropped.
            guard state.ending == nil, let count = state.answer?.body.count else { return false }
            guard count + data.count <= largestAnswer else { return true }
            state.answer?.body.append(data)
            return false
        }
        if isTooLarge { end(as: .invalidAnswer) }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError failure: (any Error)?
    ) {
        let (answer, ending, isChallenged) = state.withLock { ($0.answer, $0.ending, $0.isChallenged) }
        // Without a failure, the answer is complete. After a challenge, the answer was made from the
        // challenge. In both cases the answer is returned unless it is invalid, even if the exchange timed out
        // or was cancelled meanwhile.
        if failure == nil || isChallenged, let answer, ending != .invalidAnswer {
            return resume(.success(answer))
        }
        let code = (failure as? URLError)?.code
        let reason = ending ?? (code == .timedOut ? .timedOut : .unreachable)
        resume(.failure(error(reason, code.map { "\($0.rawValue)" } ?? "no answer")))
    }
}
