#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The error that ends a response because the session was locked.
struct SessionLocked: Error {}

extension Response {
    /// Returns the response with a body that is sent only while the gate is open.
    ///
    /// A short body is collected in memory, and the gate is checked after that. The server then sends the
    /// head and the body in one write. If the connection accepts no bytes at that moment, the write waits,
    /// and the gate is not checked again. So the number of bytes sent in this way is limited; see
    /// ``SessionGate/allowsWholeResponse(of:at:)``. For all other short bodies the gate is checked before
    /// each part, and each part takes one write.
    ///
    /// A longer body, or a body of unknown length, is cut off when the gate closes, even while a part waits
    /// for a slow reader. The connection is then aborted, so that the bytes in the server's buffers are not
    /// sent.
    ///
    /// - Returns: the response; `nil` if the gate has closed.
    /// - Throws: the error of a short body. An error that has a response of its own is replaced by an error
    ///   with an empty response. Without the gate such a response could not be sent either, because the head
    ///   of the body's response would have been sent before.
    func gated(by gate: SessionGate, at now: Duration) async throws -> Response? {
        let (body, length) = (body, body.contentLength)
        let isShort = length.map { $0 <= CollectedBody.limit } ?? false
        var response = self
        if length == 0 {
            // There is no content to hold back.
        } else if let length, isShort, gate.allowsWholeResponse(of: length, at: now) {
            do { response.body = try await CollectedBody(body).body } catch is any HTTPResponseError {
                // The router would send the error's own response, which the gate could not hold back.
                throw HTTPError(.internalServerError)
            }
        } else {
            response.body = ResponseBody(contentLength: length) { writer in
                if isShort {
                    try await body.write(GatedWriter(writer: writer, gate: gate))
                } else {
                    try await write(body, to: WriterInHand(writer: writer), while: gate)
                }
            }
        }
        return gate.isOpen ? response : nil
    }

    private func write(_ body: ResponseBody, to hand: WriterInHand, while gate: SessionGate) async throws {
        // The body is written in a task of its own, so that the gate can cancel the writing. Most bodies are
        // written at once, so `Task.immediate` needs no other thread for them.
        let writing = Task.immediate {
            try await body.write(GatedWriter(writer: hand.writer, gate: gate))
        }
        guard let number = gate.addResponse({ writing.cancel() }) else {
            writing.cancel()
            // The task may still use the writer. So the writer goes back to the server only after the task
            // has ended.
            _ = await writing.result
            throw SessionLocked()
        }
        defer { gate.removeResponse(number) }
        try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            writing.cancel()
        }
        // A body may ignore the writer's error or the cancellation of its task. It then returns without an
        // error, and its response is not whole.
        if writing.isCancelled { throw SessionLocked() }
    }
}

/// Hands a writer over to another task.
///
/// `@unchecked`: the first task does not use the writer until the other task has ended.
struct WriterInHand: @unchecked Sendable {
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
        // A body may end early because its task was cancelled. Its response must not look whole, even if the
        // gate is open again.
        guard gate.isOpen, !Task.isCancelled else { throw SessionLocked() }
        try await writer.finish(trailingHeaders)
    }
}
#endif
