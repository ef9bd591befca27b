#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Why a response ended before its end.
struct SessionLocked: Error {}

extension Response {
    /// What a connection takes at once, so that nothing of it waits to be sent after the lock.
    private static let short = 16 * 1024

    /// The response, which ends when the gate closes.
    ///
    /// Each part is held back once the gate is closed. One that waits for a slow reader is given up together with its
    /// connection: what lies in the server's buffers is not sent either.
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

/// A writer on its way to the one task that uses it.
///
/// `@unchecked`: the task that hands it over does not touch it again before the other one has ended.
private struct WriterInHand: @unchecked Sendable {
    let writer: any ResponseBodyWriter
}

/// Writes as long as the gate is open.
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
