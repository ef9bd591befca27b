internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The server's data about a request, besides the request itself.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: a client or a proxy.
    let peer: String
    /// The network that the request counts for: that of the peer, or of the address that the proxy names.
    var network: ClientNetwork

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress ?? "unknown"
        network = ClientNetwork(of: peer)
    }

    /// The largest size of a request's body in bytes.
    var maxUploadSize: Int { 8 * 1024 }
}

extension Request {
    /// Decodes the body as JSON.
    ///
    /// - Parameter isOptional: whether an empty body counts as `{}`.
    /// - Throws: ``Problem``. Its detail names a member, never the member's value.
    func json<Body: Decodable>(
        _ body: Body.Type,
        _ context: ServerContext,
        isOptional: Bool = false
    ) async throws -> Body {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > context.maxUploadSize {
            throw Problem.tooLarge
        }
        var bytes = Data(try await collected(upTo: context.maxUploadSize).readableBytesView)
        if bytes.isEmpty, isOptional {
            bytes = Data("{}".utf8)
        } else {
            let type = headers[.contentType]?.split(separator: ";").first.map(String.init) ?? ""
            guard type.lowercased().filter({ $0 != " " }) == "application/json" else { throw Problem.notJSON }
        }
        do {
            return try JSONDecoder().decode(Body.self, from: bytes)
        } catch let error as DecodingError {
            throw Problem.malformed(Self.place(of: error))
        } catch {
            throw Problem.malformed("The body is not JSON.")
        }
    }

    /// Returns the whole body. If the client goes away or stops sending, the fault is the client's, not the
    /// server's.
    private func collected(upTo size: Int) async throws -> ByteBuffer {
        do {
            return try await body.collect(upTo: size)
        } catch {
            if error is NIOTooManyBytesError || error is CancellationError { throw error }
            throw Problem.malformed("The body ended too early.")
        }
    }

    private static func place(of error: DecodingError) -> String {
        func name(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        switch error {
        case .keyNotFound(let key, let context):
            return "The member \(name(context.codingPath + [key])) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let name = name(context.codingPath)
            return name.isEmpty
                ? "The body is not a JSON object."
                : "The member \(name) does not have a value that is allowed."
        @unknown default: return "The body cannot be understood."
        }
    }

    /// The token of `Authorization: Bearer`; `nil` without this field.
    var bearer: Substring? {
        guard let field = headers[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        // A field that holds no bearer token counts as a wrong token, not as a missing one.
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return parts[1]
    }
}
