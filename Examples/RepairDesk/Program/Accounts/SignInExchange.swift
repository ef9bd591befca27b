internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One request of a sign-in and its answer.
///
/// Redirections are not followed, because a code and a token are for one server only, and an answer that goes on and on
/// is given up.
final class SignInExchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var continuation: CheckedContinuation<(Data, Int)?, Never>?
        var status: Int?
        var body = Data()
    }

    private static let largestAnswer = 64 * 1024
    private let state = Mutex(State())

    /// Sends a request.
    ///
    /// - Returns: the body and the status; `nil` when no whole answer came.
    static func send(_ request: URLRequest) async -> (Data, Int)? {
        let exchange = SignInExchange()
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = 15
        settings.httpCookieStorage = nil
        settings.urlCredentialStorage = nil
        let session = URLSession(configuration: settings, delegate: exchange, delegateQueue: nil)
        // The session holds its delegate until it is told to end.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        // The session's own limit for the whole holds on Apple platforms only.
        let limit = Task {
            do { try await Task.sleep(for: .seconds(30)) } catch { return }
            task.cancel()
        }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.state.withLock { $0.continuation = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        state.withLock { $0.status = response.statusCode }
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            state.body.append(data)
            return state.body.count > Self.largestAnswer
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let (continuation, answer) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.status.map { (state.body, $0) })
        }
        continuation?.resume(returning: error == nil ? answer : nil)
    }
}
