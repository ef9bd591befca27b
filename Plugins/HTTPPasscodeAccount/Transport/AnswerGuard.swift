#if AsyncHTTPTransport
internal import NIOCore
internal import NIOHTTP1

/// Limits the bytes of a connection before the HTTP client receives them, because the client sets no such
/// limits.
enum AnswerGuard {
    /// Adds a ``WireLimit`` before the connection's HTTP reader and a ``StatusLimit`` after the reader.
    static func add(to channel: any Channel, largestAnswer: Int) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let reader = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            // 64 KiB are for the head. In chunked encoding, a chunk with one byte of content takes six bytes
            // on the connection. So the content gets six times its limit.
            let content = min(largestAnswer, Int.max / 6 - 64 * 1024)
            try pipeline.addHandler(WireLimit(64 * 1024 + 6 * content), position: .before(reader))
            try pipeline.addHandler(StatusLimit(), position: .after(reader))
        }
    }
}

/// Closes a connection on which the server sends more bytes than an answer needs. Examples are endless
/// interim answers, endless header fields and chunks of one byte.
///
/// Other code checks the body's length. This handler counts all bytes of a connection, which carries one
/// answer.
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

/// Closes a connection on which a status below 100 arrives. No such status exists (RFC 9110, section 15).
///
/// The client treats such a status as an interim answer and waits for another head. If a body follows
/// instead, the client ends the process (async-http-client 1.37: "How can we receive a response body, if we
/// haven't received a head").
final class StatusLimit: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    struct Exceeded: Error {}

    private var hasEnded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The decoder may pass on further parts of a refused answer. They are dropped.
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
