#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The error that ends a response because the session was locked.
struct SessionLocked: Error {}

extension Response {
    /// The size in bytes of the largest body that a connection accepts at once after the head. No part of
    /// such a body is still in the server when the session is locked.
    private static let short = 16 * 1024

    /// Returns the response with a body that is cut off when the gate closes.
    ///
    /// The gate is checked before each part is written. So each part costs a write of its own. The server
    /// itself would send a short body and its head in one write. But that write would wait while the
    /// connection is full, and nothing would check the gate after the wait.
    ///
    /// A longer body, or a body of unknown length, may have parts that wait for a slow reader when the gate
    /// closes. The connection is then aborted, so that the bytes in the server's buffers are not sent.
    func ending(with gate: SessionGate) -> Response {
        let (body, length) = (body, body.contentLength)
        if length == 0 { return self }
        var response = self
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

/// Hands a writer over to another task.
///
/// `@unchecked`: the first task does not use the writer until the other task has ended.
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
