#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The error that ends a response because the session was locked.
struct SessionLocked: Error {}

extension Response {
    /// The most bytes that a connection takes at once. No part of a body of this size waits in the server until after
    /// the lock.
    private static let short = 16 * 1024

    /// Returns the response, cut off when the gate closes.
    ///
    /// No part is written after the gate has closed. If a part is waiting for a slow reader at that time, the
    /// connection is given up, so the bytes in the server's buffers are not sent either.
    func ending(with gate: SessionGate) -> Response {
        if let length = body.contentLength, length == 0 { return self }
        var response = self
        let (body, length) = (body, body.contentLength)
        response.body = ResponseBody(contentLength: length) { writer in
            if let length, length <= Self.short {
                try await body.write(GatedWriter(writer: writer, gate: gate))
            } else {
                try await write(body, to: WriterInHand(writer: writer), while: gate)
            }
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

/// Carries a writer to the one task that uses it.
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
