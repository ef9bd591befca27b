#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The error that ends a response because the session was locked.
struct SessionLocked: Error {}

extension Response {
    /// The largest number of bytes that a connection accepts at once. No part of a body of this size waits in
    /// the server until after the lock.
    private static let short = 16 * 1024

    /// Returns the response as it may be sent; `nil` if the gate closed while the host made the response.
    ///
    /// A short body is first collected in memory. The server then sends it together with its head in one
    /// write. Otherwise each write of the body would cost a switch to the connection's thread and a system
    /// call. A longer body, or a body of unknown length, is cut off when the gate closes.
    ///
    /// - Throws: the error of the host's body; ``BodyTooLong`` for a body that is longer than it declares.
    func passing(_ gate: SessionGate) async throws -> Response? {
        guard let length = body.contentLength, length <= Self.short else {
            return gate.isOpen ? ending(with: gate) : nil
        }
        // The host may have ended the session in this request, for example by signing the person out. A
        // response without content may be sent even then.
        guard length > 0 else { return gate.isOpen || gate.isOver ? self : nil }
        var response = self
        response.body = try await CollectedBody(of: body, length: length).gated(by: gate)
        return gate.isOpen ? response : nil
    }

    /// Returns the response with a body that is cut off when the gate closes.
    ///
    /// No part is written after the gate has closed. If a part is waiting for a slow reader at that time, the
    /// connection is aborted, so the bytes in the server's buffers are not sent either.
    private func ending(with gate: SessionGate) -> Response {
        var response = self
        let body = body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await write(body, to: WriterInHand(writer: writer), while: gate)
        }
        return response
    }

    private func write(_ body: ResponseBody, to hand: WriterInHand, while gate: SessionGate) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await body.write(GatedWriter(writer: hand.writer, gate: gate))
                return true
            }
            group.addTask {
                await gate.closed()
                return false
            }
            let isWhole = try await group.next() ?? false
            group.cancelAll()
            if !isWhole { throw SessionLocked() }
        }
    }
}

/// The error of a body that is longer than the length that it declares.
struct BodyTooLong: Error {}

/// Collects a body of known length in memory.
private final class CollectedBody: ResponseBodyWriter {
    private let length: Int
    private var bytes = ByteBuffer()
    private var trailers: HTTPFields?

    @concurrent
    init(of body: ResponseBody, length: Int) async throws {
        self.length = length
        try await body.write(self)
    }

    @concurrent
    func write(_ buffer: ByteBuffer) async throws {
        guard bytes.readableBytes + buffer.readableBytes <= length else { throw BodyTooLong() }
        if bytes.readableBytes == 0 { bytes = buffer } else { bytes.writeImmutableBuffer(buffer) }
    }

    @concurrent
    func finish(_ trailingHeaders: HTTPFields?) async throws { trailers = trailingHeaders }

    /// Returns the collected body. A body with trailers cannot be sent in one write, so the gate is checked
    /// again before it is sent.
    func gated(by gate: SessionGate) -> ResponseBody {
        guard let trailers else { return ResponseBody(byteBuffer: bytes) }
        return ResponseBody(contentLength: bytes.readableBytes) { [bytes] writer in
            guard gate.isOpen else { throw SessionLocked() }
            try await writer.write(bytes)
            try await writer.finish(trailers)
        }
    }
}

/// Passes a writer to the only task that uses it.
///
/// `@unchecked`: the task that passes the writer on does not use it before the other task has ended.
private struct WriterInHand: @unchecked Sendable {
    let writer: any ResponseBodyWriter
}

/// Writes only while the gate is open.
private struct GatedWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let gate: SessionGate

    @concurrent
    mutating func write(_ buffer: ByteBuffer) async throws {
        guard gate.isOpen else { throw SessionLocked() }
        try await writer.write(buffer)
    }

    @concurrent
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        guard gate.isOpen else { throw SessionLocked() }
        try await writer.finish(trailingHeaders)
    }
}
#endif
