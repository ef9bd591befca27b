#if AsyncHTTPTransport
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on a loopback port that speaks TLS with a certificate that no authority has signed.
final class TLSServer: Sendable {
    private struct State {
        var errors: [String] = []
        var bytes = 0
    }

    /// Notes what arrives within TLS, and how the handshake failed.
    private final class Listener: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let state = Mutex(State())

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            state.withLock { $0.bytes += unwrapInboundIn(data).readableBytes }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            state.withLock { $0.errors.append("\(error)") }
            context.close(promise: nil)
        }
    }

    private let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener = Listener()
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }
    /// What came within TLS, in bytes.
    var bytes: Int { listener.state.withLock { $0.bytes } }
    /// Why connections ended.
    var errors: [String] { listener.state.withLock { $0.errors } }

    /// Listens.
    ///
    /// - Parameter newest: the newest version that it speaks; `nil`: all.
    init(newest: TLSVersion? = nil) async throws {
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(Self.certificate.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(Self.key.utf8), format: .pem))
        )
        settings.minimumTLSVersion = .tlsv1
        settings.maximumTLSVersion = newest
        let context = try NIOSSLContext(configuration: settings)
        channel = try await ServerBootstrap(group: loops)
            .childChannelInitializer { [listener] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), listener,
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func stop() async throws {
        try await channel.close()
        try await loops.shutdownGracefully()
    }

    // openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt >key.pem
    // openssl req -x509 -key key.pem -days 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBlTCCATugAwIBAgIUdWJOuTKvU5/uhOkubtqJp+2heAIwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzAyMzgxNFoYDzIxMjYxMDMw
        MDIzODE0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATGJS3AfQy1pJxH+yMjdAt8d2tiX2CvLwiSxWi2p1fl6mmyxAPdk1ES
        lrPP5i9rGgC/hbYk6g3oJIHijDATRDmNo2kwZzAdBgNVHQ4EFgQUAE25LISKBCkg
        qACRJzgnyR3HpZYwHwYDVR0jBBgwFoAUAE25LISKBCkgqACRJzgnyR3HpZYwDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SAAwRQIhALv4utO+/7mmmvNsGeEh8h1OP9tMA7KbUSWb5/e0RpYUAiBTwbGzNK+M
        vtRwzYy/ZgmL57opQJdttCtbKaR1wu/tgA==
        -----END CERTIFICATE-----
        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgg4zPxOvdQfb3JfsC
        Hs+TPpA8HbS63E3zJSb0xW8cROShRANCAATGJS3AfQy1pJxH+yMjdAt8d2tiX2Cv
        LwiSxWi2p1fl6mmyxAPdk1ESlrPP5i9rGgC/hbYk6g3oJIHijDATRDmN
        -----END PRIVATE KEY-----
        """
}
#endif
