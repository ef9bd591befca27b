internal import NIOCore
internal import NIOHTTP1

/// Stands between the HTTP decoder and the server, and ends connections that the server would listen to for ever.
///
/// - A request has a deadline, from its head to the end of the answer. One that is not whole by then is answered with
///   an empty 408.
/// - An answer that comes before the request is whole, such as a 401, is the connection's last: what follows is read
///   for a second, so that the answer arrives before the connection ends, and not looked at.
/// - HTTP/1.0 has one request for each connection. So has one that asks for another protocol: it is answered as if it did
///   not, and what follows is not read, because the decoder would keep it. `CONNECT` is an empty 400.
/// - An answer that says `Connection: close` is the connection's last, whatever was sent behind its request.
/// - A request without `Host` or with two is an empty 400 (RFC 9112, section 3.2): two readers could take it for two
///   different things.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let timeout: TimeAmount
    /// A request's head has come, and its end has not.
    private var isReading = false
    /// Requests whose answer is not written yet.
    private var unanswered = 0
    /// An answer's head is written, and its end is not.
    private var isAnswering = false
    /// No other request is taken after those that have come.
    private var isLast = false
    /// The decoder looks at nothing that comes behind this request.
    private var isUpgrade = false
    /// The answer that is being written is the connection's last.
    private var endsWithAnswer = false
    /// The last answer is written or being written: nothing is passed on any more.
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
            // Without a request it is the answer to what is no HTTP.
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

    /// Whether the client sends the body only when it is told to, or after a while (RFC 9110, section 10.1.1).
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

    /// Answers in the server's stead; behind requests that wait for their answers the connection just ends.
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

    /// Ends the connection, with a second for the answer to arrive: closed at once, what is still unread would make
    /// the system throw the answer away.
    private func end(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.timer = nil
            context.close(promise: nil)
        }
    }
}
