#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// A short body that was written to memory before its response is sent.
///
/// If a body is in memory, the server sends the head and the body in one write. A body of several parts,
/// or a body with a check before each part, takes one write for each part.
struct CollectedBody {
    private let buffer: ByteBuffer
    private let trailers: HTTPFields?

    /// The largest body in bytes that is collected.
    static let limit = 16 * 1024

    /// Writes a body to memory.
    ///
    /// - Throws: the body's own error; `HTTPError` with status 500 if the body is longer than the limit,
    ///   although it declared a shorter length.
    @concurrent
    init(_ body: ResponseBody) async throws {
        let collection = Collection()
        try await body.write(Writer(collection: collection))
        (buffer, trailers) = collection.content
    }

    /// The body as the server sends it.
    var body: ResponseBody {
        guard let trailers else { return ResponseBody(byteBuffer: buffer) }
        return ResponseBody(contentLength: buffer.readableBytes) { [buffer] writer in
            try await writer.write(buffer)
            try await writer.finish(trailers)
        }
    }

    private final class Collection: Sendable {
        private let state = Mutex((buffer: ByteBuffer?.none, trailers: HTTPFields?.none))

        var content: (ByteBuffer, HTTPFields?) {
            state.withLock { ($0.buffer ?? ByteBuffer(), $0.trailers) }
        }

        func add(_ part: ByteBuffer) throws {
            try state.withLock { state in
                let size = (state.buffer?.readableBytes ?? 0) + part.readableBytes
                guard size <= limit else { throw HTTPError(.internalServerError) }
                // Most bodies have one part, which needs no copy.
                if state.buffer == nil {
                    state.buffer = part
                } else {
                    state.buffer?.writeImmutableBuffer(part)
                }
            }
        }

        func end(_ trailers: HTTPFields?) { state.withLock { $0.trailers = trailers } }
    }

    private struct Writer: ResponseBodyWriter {
        let collection: Collection

        mutating func write(_ buffer: ByteBuffer) async throws { try collection.add(buffer) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { collection.end(trailingHeaders) }
    }
}
#endif
