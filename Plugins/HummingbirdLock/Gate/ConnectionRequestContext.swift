#if HummingbirdLock
public import Hummingbird
public import NIOCore

/// A request context that names the connection of its request.
///
/// With such a context the gate sends a short response in one write. Without one, the head and the body of each
/// response are separate writes, because the gate is checked between them.
public protocol ConnectionRequestContext: RequestContext {
    /// The channel of the request's connection.
    var channel: any Channel { get }
}

/// A request context with Hummingbird's own parts and the connection of the request.
public struct WebLockRequestContext: ConnectionRequestContext {
    /// Hummingbird's own parts.
    public var coreContext: CoreRequestContextStorage
    /// The channel of the request's connection.
    public let channel: any Channel

    /// Makes the context of a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
#endif
