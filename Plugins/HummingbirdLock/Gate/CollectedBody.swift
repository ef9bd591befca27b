#if HummingbirdLock
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// A short body that was written to memory.
struct CollectedBody {
    let buffer: ByteBuffer
    let trailers: HTTPFields?

    /// The largest body that is collected, in bytes.
    static let limit = 64 * 1024

    /// Writes a body to memory.
    ///
    /// - Throws: the error of the body; `NIOTooManyBytesError` if the body is longer than it says.
    @concurrent
    init(_ body: ResponseBody) async throws {
        let collection = Collection()
        try await body.write(Writer(collection: collection))
        (buffer, trailers) = collection.content
    }

    /// The body as a response sends it.
    var body: ResponseBody {
        guard let trailers else { return ResponseBody(byteBuffer: buffer) }
        return ResponseBody(contentLength: buffer.readableBytes) { [buffer] writer in
            try await writer.write(buffer)
            try await writer.finish(trailers)
        }
    }

    private final class Collection: Sendable {
        private let state = Mutex((buffer: ByteBuffer?.none, trailers: HTTPFields?.none))

        var content: (ByteBuffer, HTTPFields?) { state.withLock { ($0.buffer ?? ByteBuffer(), $0.trailers) } }

        func add(_ part: ByteBuffer) throws {
            try state.withLock { state in
                let size = (state.buffer?.readableBytes ?? 0) + part.readableBytes
                guard size <= CollectedBody.limit else {
                    throw NIOTooManyBytesError(maxBytes: CollectedBody.limit)
                }
                // A body of one part, as most are, is not copied.
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

        @concurrent
        mutating func write(_ buffer: ByteBuffer) async throws { try collection.add(buffer) }

        @concurrent
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { collection.end(trailingHeaders) }
    }
}
#endif
