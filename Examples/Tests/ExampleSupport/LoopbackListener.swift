import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Listens on a port of this machine's own address until it is stopped or released.
public final class LoopbackListener: Sendable {
    /// The socket. After the close its number may be another file's, which must not be shut down in its
    /// place.
    private final class Listening: Sendable {
        private let file: Mutex<Int32?>

        init(_ file: Int32) { self.file = Mutex(file) }

        deinit { end() }

        /// The next connection; `nil` after the listener was stopped.
        func next() -> Int32? {
            guard let file = file.withLock({ $0 }) else { return nil }
            while true {
                let connection = accept(file, nil, nil)
                if connection >= 0 { return connection }
                guard errno == EINTR || errno == ECONNABORTED else { return nil }
            }
        }

        func stop() {
            file.withLock { file in
                guard let file else { return }
                shutdown(file, Int32(SHUT_RDWR))
            }
        }

        func end() {
            file.withLock { file in
                if let open = file { close(open) }
                file = nil
            }
        }
    }

    /// The port, which was free before.
    public let port: Int
    private let listening: Listening

    /// Makes a listener. Connections wait until ``serve(_:)`` is called.
    ///
    /// - Throws: `POSIXError` if no socket can be made.
    public init() throws {
        let file: Int32
        (file, port) = try LoopbackSocket.listening()
        listening = Listening(file)
    }

    /// Accepts connections from now on. This method is called once.
    ///
    /// - Parameter serve: is given each connection on a thread of its own, and closes it.
    public func serve(_ serve: @escaping @Sendable (Int32) -> Void) {
        Thread.detachNewThread { [listening] in
            // The thread that uses the socket closes it. Otherwise its number could be another file's while
            // `accept` waits.
            defer { listening.end() }
            while let connection = listening.next() {
                Thread.detachNewThread { serve(connection) }
            }
        }
    }

    deinit { stop() }

    /// Takes no more connections.
    public func stop() { listening.stop() }
}
