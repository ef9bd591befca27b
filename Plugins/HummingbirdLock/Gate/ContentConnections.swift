#if HummingbirdLock
internal import NIOCore

/// The connections of a session's short responses. Each such response was sent by a single write.
///
/// The gate is not checked again once such a write has entered the server's buffer. The write stays in the buffer as
/// long as the client does not read. So when the session locks, each connection with bytes in its buffer is closed, and
/// the bytes are dropped.
struct ContentConnections {
    private var channels: [ObjectIdentifier: any Channel] = [:]

    /// The time after which a write counts as having reached the buffer. A write that began before the lock may
    /// reach the buffer a moment after it.
    private static let delay = TimeAmount.milliseconds(50)

    /// Whether the bytes in a channel's buffer can be counted. They cannot for a stream of HTTP/2, whose parent is a
    /// connection, nor for connections that are not NIO's own.
    static func canCount(_ channel: any Channel) -> Bool {
        #if os(Linux)
        channel.parent?.parent == nil
        #else
        false
        #endif
    }

    /// Adds a connection.
    ///
    /// - Returns: whether it was not there.
    mutating func add(_ channel: any Channel) -> Bool {
        channels.updateValue(channel, forKey: ObjectIdentifier(channel)) == nil
    }

    mutating func remove(_ channel: any Channel) { channels[ObjectIdentifier(channel)] = nil }

    /// Removes all connections, and closes those with bytes in their buffers now or after a short time.
    mutating func drop() {
        for channel in channels.values {
            channel.eventLoop.execute { Self.closeIfWaiting(channel) }
            channel.eventLoop.scheduleTask(in: Self.delay) { Self.closeIfWaiting(channel) }
        }
        channels = [:]
    }

    private static func closeIfWaiting(_ channel: any Channel) {
        // To close a channel that is closed already does nothing.
        if channel.countOfWaitingBytes != 0 { channel.close(promise: nil) }
    }
}
#endif
