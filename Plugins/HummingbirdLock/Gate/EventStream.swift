#if HummingbirdLock
internal import AdapterKit
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization
internal import WebScreens

/// One stream of a session's events (HTML Standard, "Server-sent events").
///
/// The stream sends one event at once, and another event after each change that a page can see. It stays open
/// while the session is locked, because it reports the lock. It ends when its reader has gone, when the
/// session has ended, or when the session has too many newer streams. It also ends when the server shuts
/// down, because the server would otherwise wait for the stream. While a write waits for a reader that takes
/// nothing, the stream cannot end. ``TimeLimitedWrite`` ends such a write.
///
/// A server may have thousands of idle streams. To save memory, an idle stream adds only one task to the task
/// of the connection: the task that notices the end of the connection. The connection's task waits for a
/// change, and holds no message meanwhile. Each write has a task of its own, which ends with the write.
final class EventStream: Sendable {
    private let session: WebSession
    private let number: UInt64
    private let signals: AsyncStream<Void>
    private let state = Mutex(State())

    private struct State {
        var hasReader = true
        /// The revision that the reader's page has.
        var revision = 0
        /// The last message, without the HTML.
        var last: WebMessage?
    }

    init(_ session: WebSession, number: UInt64) {
        (self.session, self.number) = (session, number)
        signals = session.gate.changes.stream(after: [()], buffering: .bufferingNewest(1))
    }

    /// Writes the events until the stream ends.
    ///
    /// - Parameter body: the body of the stream's request. If the connection closes after the body, the
    ///   reader has gone.
    @concurrent
    func write(to writer: inout any ResponseBodyWriter, until body: RequestBody) async throws {
        try await body.consumeWithInboundCloseHandler { rest in
            // The closing of the connection is noticed only after the whole body was read. A client may send
            // a body, although a stream needs none. So the body is read and discarded.
            async let _: Void = Self.discard(rest)
            try await withGracefulShutdownHandler {
                for await _ in signals {
                    guard !Task.isShuttingDownGracefully, let event = await event(of: session) else { return }
                    try await TimeLimitedWrite.run(on: &writer, clock: session.clock) { writer in
                        try await writer.write(event)
                    }
                    if isOver { return }
                }
            } onGracefulShutdown: {
                self.wake()
            }
        } onInboundClosed: {
            self.state.withLock { $0.hasReader = false }
            self.wake()
        }
    }

    @concurrent
    private static func discard(_ body: RequestBody) async throws {
        for try await _ in body {}
    }

    /// Whether the last message reported the session's end.
    private var isOver: Bool { state.withLock { $0.last?.isOver == true } }

    /// Wakes the writer, which then checks whether the stream has ended.
    private func wake() { session.gate.changes.send(()) }

    /// Returns the event to write next; `nil` if the stream has ended.
    private func event(of session: isolated WebSession) -> ByteBuffer? {
        let (hasReader, revision, last) = state.withLock { ($0.hasReader, $0.revision, $0.last) }
        guard hasReader, session.follows(number) else { return nil }
        var message = session.message(since: revision)
        let isNews = message.patch?.regions.isEmpty == false || !message.isSame(as: last)
        // Without news, an empty comment is written to the event stream. A reader may have gone without
        // closing the connection, and only a failed write shows that.
        let event = ByteBuffer(bytes: isNews ? message.event : Array(":\n\n".utf8))
        message.patch?.regions = [:]
        state.withLock { state in
            state.last = message
            state.revision = message.patch?.revision ?? revision
        }
        return event
    }
}

extension WebMessage {
    /// Whether another message has the same content. Of the two patches, only the revisions are compared.
    fileprivate func isSame(as other: WebMessage?) -> Bool {
        guard let other else { return false }
        return prompt == other.prompt && isLocked == other.isLocked && isOver == other.isOver
            && screen == other.screen
            && patch?.revision == other.patch?.revision
    }
}
#endif
