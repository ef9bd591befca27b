#if AsyncHTTPTransport
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import PortcullisCore
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Sends one request and reads its answer.
final class AsyncHTTPExchange: Sendable {
    private struct State {
        /// The buffer with the body, which was passed to NIO; `nil` before the body is sent and after the
        /// buffer was zeroed.
        var sent: ByteBuffer?
        /// Whether the exchange is over. The client asks for the body in a task of its own, which may run
        /// after the end of the exchange.
        var isOver = false
        var hasBegun = false
        /// The reason why this process ended the exchange; `nil` if it did not.
        var ending: HTTPTransportError.Code?
        var result: Result<HTTPTransportAnswer, HTTPTransportError>?
    }

    private let state = Mutex(State())
    private let request: HTTPTransportRequest
    private let largestAnswer: Int

    init(_ request: HTTPTransportRequest, largestAnswer: Int) {
        self.request = request
        self.largestAnswer = largestAnswer
    }

    /// Sends the request and reads the answer. Cancelling the task ends the whole exchange.
    func run(on client: HTTPClient) async {
        let result: Result<HTTPTransportAnswer, HTTPTransportError>
        do { result = .success(try await answer(from: client)) } catch {
            result = .failure(self.error(error))
        }
        state.withLock { $0.result = result }
    }

    /// Stores the reason why the exchange is about to be cancelled. Only the first reason is kept.
    func end(as ending: HTTPTransportError.Code) {
        state.withLock { $0.ending = $0.ending ?? ending }
    }

    /// Returns the answer, or throws the error, and zeroes the body that was sent.
    func finish() throws(HTTPTransportError) -> HTTPTransportAnswer {
        let result = state.withLock { state in
            if let sent = state.sent { unsafe Self.clear(sent) }
            (state.sent, state.isOver) = (nil, true)
            return state.result
        }
        guard let result else { throw error(CancellationError()) }
        return try result.get()
    }

    /// Zeroes the memory of a buffer. If the connection ended before NIO wrote the buffer, NIO may still hold
    /// it. Zeroing is safe even then, because the request to which the buffer belongs is no longer needed.
    @unsafe
    private static func clear(_ buffer: ByteBuffer) {
        unsafe buffer.withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe SecretHeap.zero(UnsafeMutableRawPointer(mutating: start), bytes.count)
        }
    }

    private func answer(from client: HTTPClient) async throws -> HTTPTransportAnswer {
        var prepared = HTTPClientRequest(url: request.url.absoluteString)
        prepared.method = request.method == .get ? .GET : .POST
        for field in request.fields { prepared.headers.add(name: field.name, value: field.value) }
        if let token = request.token { prepared.headers.add(name: "Authorization", value: token.field) }
        if let body = request.body {
            prepared.body = .stream(Body(exchange: self, text: body), length: .known(Int64(body.count)))
        }
        let response = try await client.execute(prepared, deadline: .distantFuture)
        state.withLock { $0.hasBegun = true }
        var answer = HTTPTransportAnswer(status: Int(response.status.code), fields: [:], body: Data())
        for (name, value) in response.headers {
            answer.fields[name.lowercased(), default: ""] +=
                answer.fields[name.lowercased()] == nil ? value : ", \(value)"
        }
        guard HTTPTransportAnswer.isIdentity(encoding: answer.fields["content-encoding"]) else {
            throw Unreadable(message: "the answer is encoded")
        }
        for try await part in response.body {
            guard answer.body.count + part.readableBytes <= largestAnswer else {
                throw Unreadable(message: "the answer is too large")
            }
            answer.body.append(contentsOf: part.readableBytesView)
        }
        // If the task was cancelled, the sequence of parts may end as if the body were complete. So the
        // cancellation is checked here.
        try Task.checkCancellation()
        return answer
    }

    private struct Unreadable: Error {
        var message: String
    }

    private func error(_ failure: any Error) -> HTTPTransportError {
        let (ending, mayBeCarriedOut) = state.withLock { state in
            (state.ending, state.sent != nil || state.hasBegun || request.body == nil)
        }
        let (code, message) = Self.meaning(failure)
        return HTTPTransportError(ending ?? code, mayBeCarriedOut: mayBeCarriedOut, message: message)
    }

    private static func meaning(_ failure: any Error) -> (HTTPTransportError.Code, String) {
        switch failure {
        case is CancellationError: (.cancelled, "cancelled")
        case let failure as Unreadable: (.invalidAnswer, failure.message)
        case is WireLimit.Exceeded: (.invalidAnswer, "the answer is too large")
        case is StatusLimit.Exceeded: (.invalidAnswer, "the answer has no status")
        case let failure as HTTPParserError: (.invalidAnswer, "\(failure)")
        case let failure as HTTPClientError:
            switch failure {
            case .cancelled: (.cancelled, "cancelled")
            case .readTimeout, .writeTimeout, .connectTimeout, .deadlineExceeded, .tlsHandshakeTimeout,
                .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
                (.timedOut, failure.shortDescription)
            default: (.unreachable, failure.shortDescription)
            }
        case let failure as IOError: (.unreachable, "\(failure.errnoCode)")
        // The descriptions of all other errors may quote parts of the request or answer. So the message
        // contains only the error's type.
        default: (.unreachable, "\(type(of: failure))")
        }
    }

    /// The request's body, in one part. The client requests the part after it has a connection and has sent
    /// the head.
    private struct Body: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        let exchange: AsyncHTTPExchange
        let text: SecretBytes

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

        struct AsyncIterator: AsyncIteratorProtocol {
            let body: Body
            var isOver = false

            mutating func next() async -> ByteBuffer? {
                guard !isOver else { return nil }
                isOver = true
                return body.exchange.hand(body.text)
            }
        }
    }

    /// Makes the buffer with the body. The result is `nil` after the end of the exchange, when no call would
    /// zero the buffer.
    private func hand(_ text: SecretBytes) -> ByteBuffer? {
        // The buffer has its final size from the start. A buffer that grows would leave a copy of the secret
        // text in memory.
        var buffer = ByteBufferAllocator().buffer(capacity: text.count)
        text.withBytes { bytes in
            for index in bytes.indices { buffer.writeInteger(bytes[index]) }
        }
        let sent = buffer
        let isOver = state.withLock { state in
            if !state.isOver { state.sent = sent }
            return state.isOver
        }
        guard !isOver else {
            unsafe Self.clear(sent)
            return nil
        }
        return sent
    }
}
#endif
