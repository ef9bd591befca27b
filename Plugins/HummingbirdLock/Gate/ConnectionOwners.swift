#if HummingbirdLock
internal import NIOCore
internal import Synchronization

/// The session that each connection was last used for.
///
/// A proxy sends the requests of many sessions over one connection, one after the other. When a session locks, it
/// closes connections that still hold bytes of its responses. It must not close one that holds another session's.
final class ConnectionOwners: Sendable {
    private let gates = Mutex<[ObjectIdentifier: SessionGate]>([:])

    /// Notes that the next response on a connection is one of this gate's session.
    ///
    /// If the connection was another session's, and nothing of that session's responses waits in the server, that
    /// session forgets the connection.
    func pass(_ channel: any Channel, to gate: SessionGate) {
        let id = ObjectIdentifier(channel)
        let previous = gates.withLock { $0.updateValue(gate, forKey: id) }
        guard let previous else {
            return channel.closeFuture.whenComplete { [weak self] _ in
                self?.gates.withLock { $0[id] = nil }
            }
        }
        guard previous !== gate else { return }
        // The event loop has made all writes of the earlier responses before it looks, and makes those of the next
        // one afterwards.
        channel.eventLoop.execute { [weak self] in
            guard channel.countOfWaitingBytes == 0 else { return }
            // With pipelined requests the connection may be the earlier session's again.
            self?.gates.withLock { if $0[id] !== previous { previous.forget(channel) } }
        }
    }
}

extension Channel {
    /// The number of bytes that the server still holds for the connection; `nil` if it is closed. It is read on the
    /// channel's event loop.
    var countOfWaitingBytes: Int? { try? syncOptions?.getOption(.bufferedWritableBytes) }
}
#endif
