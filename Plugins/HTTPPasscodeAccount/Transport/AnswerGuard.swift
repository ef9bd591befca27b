#if AsyncHTTPTransport
internal import NIOCore
internal import NIOHTTP1

/// What stands between a connection and the client, because the client does not look at it.
enum AnswerGuard {
    /// Puts both handlers around the connection's reader of HTTP.
    static func add(to channel: any Channel, largestAnswer: Int) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let reader = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            // A part of one byte takes six.
            try pipeline.addHandler(WireLimit(64 * 1024 + 6 * largestAnswer), position: .before(reader))
            try pipeline.addHandler(StatusLimit(), position: .after(reader))
        }
    }
}

/// Ends a connection on which more comes than any answer needs: interim answers without end, fields, parts of one byte.
///
/// What a body may be long is judged where it is read; this counts all of a connection, which carries one answer.
final class WireLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    struct Exceeded: Error {}

    private var rest: Int

    init(_ rest: Int) { self.rest = rest }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        rest -= Self.unwrapInboundIn(data).readableBytes
        guard rest >= 0 else {
            context.fireErrorCaught(Exceeded())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}

/// Ends a connection on which a status below 100 comes (RFC 9110, section 15: there is none).
///
/// The client takes it for an interim answer and waits for another head; the body that may follow ends the process
/// (async-http-client 1.37: "How can we receive a response body, if we haven't received a head").
final class StatusLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    struct Exceeded: Error {}

    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The reader may hold more of the same answer.
        guard !hasEnded else { return }
        if case .head(let head) = Self.unwrapInboundIn(data), head.status.code < 100 {
            hasEnded = true
            context.fireErrorCaught(Exceeded())
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
#endif
