internal import NIOCore
internal import NIOHTTP1

/// Sits between the HTTP decoder and the server, and ends connections that the server would otherwise keep
/// for ever.
///
/// - A request has a deadline, from its head to the end of the answer. If the request is not whole by then,
///   it is answered with an empty 408.
/// - If an answer precedes the end of its request, as a 401 may, it is the connection's last. The server then
///   reads and ignores all bytes for a second, so that the answer arrives before the connection ends.
/// - A connection with HTTP/1.0 carries one request. So does a connection whose request asks for another
///   protocol. The request is answered as if it did not ask. Nothing after it is read, because the decoder
///   would keep it. `CONNECT` gets an empty 400.
/// - After an answer with `Connection: close` the connection ends, even if further requests were sent.
/// - A request without `Host`, or with two, gets an empty 400 (RFC 9112, section 3.2), because two readers
///   could understand it in different ways.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let timeout: TimeAmount
    /// Whether a request's head has arrived, but not its end.
    private var isReading = false
    /// The number of requests whose answers are not written yet.
    private var unanswered = 0
    /// Whether an answer's head is written, but not its end.
    private var isAnswering = false
    /// Whether all later requests are ignored.
    private var isLast = false
    /// Whether the decoder ignores everything after this request, because it asks for another protocol.
    private var isUpgrade = false
    /// Whether the answer that is being written is the connection's last.
    private var endsWithAnswer = false
    /// Whether the last answer is written. After that nothing is passed on any more.
    private var isEnding = false
    private var timer: Scheduled<Void>?

    init(timeout: TimeAmount) { self.timeout = timeout }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard !isLast else { return }
            isUpgrade = head.method == .CONNECT || !head.headers["Upgrade"].isEmpty
            guard Self.isSound(head) else { return refuse(.badRequest, context) }
            isReading = true
            unanswered += 1
            isLast = !head.isKeepAlive || head.version.minor == 0 || isUpgrade
            if timer == nil { startTimer(context) }
            if unanswered == 1, Self.waitsForGoAhead(head) {
                let answer = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
            }
        case .body:
            guard isReading else { return }
        case .end:
            guard isReading else { return }
            isReading = false
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnding else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isAnswering = true
            // An answer without a request answers bytes that are not HTTP. It is the connection's last.
            endsWithAnswer =
                unanswered == 0 || unanswered == 1 && (isLast || isReading)
                || head.headers["Connection"] == ["close"]
            if endsWithAnswer { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            unanswered = max(0, unanswered - 1)
            isEnding = endsWithAnswer
            let written = promise ?? context.eventLoop.makePromise()
            context.write(data, promise: written)
            if isEnding { context.flush() }
            written.futureResult.assumeIsolated().whenComplete { _ in self.answered(context) }
        }
    }

    func read(context: ChannelHandlerContext) {
        if isUpgrade, !isReading { return }
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isEnding, let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

    private static func isSound(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"].count
        return head.version.major == 1 && head.method != .CONNECT
            && (hosts == 1 || hosts == 0 && head.version.minor == 0)
    }

    /// Whether the client waits for the server's consent, for a while, before it sends the body (RFC 9110,
    /// section 10.1.1).
    private static func waitsForGoAhead(_ head: HTTPRequestHead) -> Bool {
        head.version.minor > 0 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
    }

    // MARK: The end of a request and of a connection

    private func answered(_ context: ChannelHandlerContext) {
        stopTimer()
        if isEnding { return end(context) }
        if unanswered > 0 { startTimer(context) }
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.timer = nil
            if self.isReading, self.unanswered == 1, !self.isAnswering, !self.isEnding {
                self.refuse(.requestTimeout, context)
            } else {
                context.close(promise: nil)
            }
        }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }

    /// Answers in place of the server. If earlier requests still wait for their answers, nothing is answered
    /// here, and the connection ends after those answers.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        guard unanswered == 0 || isReading && unanswered == 1 else {
            isLast = true
            return
        }
        isEnding = true
        let fields = HTTPHeaders([("Connection", "close"), ("Content-Length", "0")])
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            self.answered(context)
        }
    }

    /// Ends the connection, and gives the client a second to receive the answer. If the connection was closed
    /// at once while bytes are unread, the system would throw the answer away.
    private func end(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.timer = nil
            context.close(promise: nil)
        }
    }
}
