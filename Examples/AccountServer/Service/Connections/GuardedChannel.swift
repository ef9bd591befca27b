internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Hummingbird's connection with the limits that Hummingbird lacks: see ``ConnectionBook`` and
/// ``RequestGuard``.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let inner: HTTP1Channel
    let book: ConnectionBook
    /// How long a request may take, from its head to the end of the answer.
    let requestTimeout: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        inner.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let operations = channel.pipeline.syncOperations
            let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try operations.addHandler(RequestGuard(timeout: requestTimeout), position: .after(decoder))
            let network = ClientNetwork(of: channel.remoteAddress?.ipAddress ?? "unknown")
            if book.enter(channel, from: network) {
                channel.closeFuture.whenComplete { _ in book.leave(channel, from: network) }
            } else {
                // An error here would end the listening of the whole server. So only this connection is
                // closed.
                channel.close(promise: nil)
            }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await inner.handle(value: value, logger: logger) }
}
