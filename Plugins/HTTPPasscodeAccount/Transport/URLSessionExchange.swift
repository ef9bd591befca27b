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

/// One request and its answer, on a connection of its own.
final class URLSessionExchange: NSObject, URLSessionDataDelegate, Sendable {
    struct State {
        var continuation: CheckedContinuation<Result<HTTPTransportAnswer, HTTPTransportError>, Never>?
        var task: URLSessionDataTask?
        var answer: HTTPTransportAnswer?
        var wasSent = false
        /// Whether the answer is a challenge, which is the end of it.
        var isChallenged = false
        /// Why the task was ended here, where it was.
        private(set) var ending: HTTPTransportError.Code?

        /// Notes why the task is ended; what comes later follows from the first reason.
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
        // The session holds its delegate until it is told to end.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        // The session's own limit for the whole holds on Apple platforms only: elsewhere a server that sends a byte now
        // and then would be listened to for ever.
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
                    // A task that was neither started nor cancelled would keep its session, and that the delegate.
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
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        return settings
    }

    /// Ends the task.
    private func end(as ending: HTTPTransportError.Code) {
        let task = state.withLock { state in
            state.end(as: ending)
            return state.task
        }
        // Off Apple platforms cancelling waits for what the session does meanwhile, which may take long. The caller is a
        // thread of the pool, and may hold a lock that the session's work waits for.
        DispatchQueue.global().async { task?.cancel() }
    }

    private func resume(_ result: Result<HTTPTransportAnswer, HTTPTransportError>) {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }?.resume(returning: result)
    }

    /// An answer that began is proof that the request arrived.
    private func error(_ code: HTTPTransportError.Code, _ message: String) -> HTTPTransportError {
        let mayBeCarriedOut = state.withLock { $0.wasSent || $0.answer != nil }
        return HTTPTransportError(code, mayBeCarriedOut: mayBeCarriedOut, message: message)
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
        // There a refused challenge ends the task without the answer that brought it, and an unanswered one is waited
        // for: the answer is taken from here, and has no body.
        let response = challenge.failureResponse as? HTTPURLResponse
        state.withLock {
            $0.answer = HTTPTransportAnswer(status: response?.statusCode ?? 401, fields: [:], body: Data())
            $0.isChallenged = true
        }
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        // Certificates are judged as the system does; no other question is answered, so a 401 stays one.
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

    /// - Returns: whether the body is to be read.
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
            // What comes after the task was ended is dropped.
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
        // An answer that is there counts, whatever became of the connection or the caller afterwards.
        if failure == nil || isChallenged, let answer, ending != .invalidAnswer {
            return resume(.success(answer))
        }
        let code = (failure as? URLError)?.code
        let reason = ending ?? (code == .timedOut ? .timedOut : .unreachable)
        resume(.failure(error(reason, code.map { "\($0.rawValue)" } ?? "no answer")))
    }
}
