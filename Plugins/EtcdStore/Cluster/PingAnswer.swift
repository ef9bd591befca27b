#if EtcdStore
internal import NIOCore
internal import NIOHTTP2

/// Answers the pings of a server before the client's HTTP/2 layer sees them.
///
/// This handler answers each PING frame that has no ACK flag (RFC 9113, section 6.7), and passes everything
/// else on unchanged. A gRPC server in Go sends a ping for nearly every message that it receives, to measure
/// the connection's bandwidth. The HTTP/2 layer treats frequent pings as an attack. It drops a connection
/// that has received 200 pings within thirty seconds (seen with swift-nio-http2 1.46.0). An etcd client
/// reaches this limit with 200 calls in that time, and grpc-swift has no setting for the limit.
final class PingAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let head = 9
    private static let ping: UInt8 = 6
    private static let pingSize = 8
    private static let flagsAt = 4
    private static let ack: UInt8 = 1

    /// The received bytes of a frame whose head is incomplete, or of an incomplete PING frame.
    private var kept = ByteBuffer()
    /// The number of bytes of the current frame that are still to be passed on as they arrive.
    private var rest = 0

    /// Adds a handler before the HTTP/2 layer of a connection that is being set up.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let layer = try pipeline.handler(type: NIOHTTP2Handler.self)
            try pipeline.addHandler(PingAnswer(), position: .before(layer))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        if kept.readableBytes > 0 {
            kept.writeBuffer(&input)
            swap(&kept, &input)
            kept.clear()
        }
        var answers = context.channel.allocator.buffer(capacity: 0)
        let output = split(&input, answers: &answers, context.channel.allocator)
        // The HTTP/2 layer writes each frame as a whole, so an answer is never inside another frame.
        if answers.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(answers), promise: nil) }
        if output.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(output)) }
    }

    /// Returns the bytes to pass on, and adds the answers to pings. An incomplete head or PING frame at the
    /// end of the input is kept.
    private func split(
        _ input: inout ByteBuffer,
        answers: inout ByteBuffer,
        _ allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var output = allocator.buffer(capacity: input.readableBytes)
        while input.readableBytes > 0 {
            if rest > 0 {
                guard var part = input.readSlice(length: min(rest, input.readableBytes)) else { break }
                rest -= part.readableBytes
                output.writeBuffer(&part)
                continue
            }
            guard let head = input.getBytes(at: input.readerIndex, length: Self.head) else { break }
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard head[3] == Self.ping, length == Self.pingSize, head[Self.flagsAt] & Self.ack == 0 else {
                rest = Self.head + length
                continue
            }
            guard var frame = input.readSlice(length: Self.head + length) else { break }
            frame.setInteger(head[Self.flagsAt] | Self.ack, at: frame.readerIndex + Self.flagsAt)
            answers.writeBuffer(&frame)
        }
        kept.writeBuffer(&input)
        return output
    }
}
#endif
