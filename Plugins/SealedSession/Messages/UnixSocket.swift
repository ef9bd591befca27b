internal import CLinux
internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// System calls on Unix sockets. All sockets are non-blocking and closed on exec.
enum UnixSocket {
    /// Makes a socket that listens at this path, for this user only; `nil` with `errno` set if the call
    /// fails.
    static func listen(at path: String) -> Int32? {
        guard let made = make() else { return nil }
        let isBound = unsafe withAddress(path) { address, size in unsafe bind(made, address, size) == 0 }
        guard isBound, unsafe chmod(path, 0o600) == 0, systemListen(made, 64) == 0 else {
            return closing(made)
        }
        return made
    }

    /// Connects to the socket at this path, if a process of this user listens there; `nil` with `errno` set
    /// if that fails.
    static func connect(to path: String) -> Int32? {
        guard let made = make() else { return nil }
        let isConnected = unsafe withAddress(path) { address, size in
            unsafe systemConnect(made, address, size) == 0
        }
        guard isConnected else { return closing(made) }
        guard isOwn(made) else {
            errno = EPERM
            return closing(made)
        }
        return made
    }

    /// Accepts the next connection; `nil` with `errno` set if there is none.
    static func accept(_ listener: Int32) -> Int32? {
        let accepted = Descriptors.aboveStandard(systemAccept(listener, nil, nil))
        guard accepted >= 0 else { return nil }
        prepare(accepted)
        return accepted
    }

    /// Whether a process of this user is at the other end.
    static func isOwn(_ connection: Int32) -> Bool {
        var user = uid_t.max
        return unsafe clinux_peer_user(connection, &user) == 0 && user == geteuid()
    }

    #if canImport(Darwin)
    // On Darwin the socket option `SO_NOSIGPIPE` has the effect of `MSG_NOSIGNAL`: see `prepare(_:)`.
    private static let withoutSignal: Int32 = 0
    #else
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Sends as many bytes as the socket accepts now. If the other end is closed, no signal (`SIGPIPE`) ends
    /// this process.
    ///
    /// - Returns: the number of bytes that were sent; `nil` if the other end is closed, or if the call failed
    ///   for another reason.
    static func send(_ bytes: SecretBytes, from start: Int, to connection: Int32) -> Int? {
        bytes.withBytes { span in
            unsafe span.extracting(start..<span.count).withUnsafeBytes { rest in
                while true {
                    let count = unsafe systemSend(connection, rest.baseAddress, rest.count, withoutSignal)
                    if count >= 0 { return count }
                    switch errno {
                    case EINTR: continue
                    case EAGAIN: return 0
                    default: return nil
                    }
                }
            }
        }
    }

    /// Reads into a buffer. The buffer's free capacity must not be zero.
    static func receive(into buffer: SecretBuffer, from connection: Int32) -> Descriptors.Reading {
        var reading = Descriptors.Reading.end
        unsafe buffer.fill { room in
            reading = unsafe Descriptors.read(connection, into: room)
            guard case .bytes(let count) = reading else { return 0 }
            return count
        }
        return reading
    }

    /// Ends a listener. Connections are refused from now on, even while a process that is being started still
    /// has a copy of the listener.
    static func end(_ listener: Int32) {
        #if canImport(Glibc)
        shutdown(listener, Int32(SHUT_RDWR))
        #else
        shutdown(listener, SHUT_RDWR)
        #endif
        close(listener)
    }

    private static func make() -> Int32? {
        #if canImport(Glibc)
        let made = Descriptors.aboveStandard(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        #else
        let made = Descriptors.aboveStandard(socket(AF_UNIX, SOCK_STREAM, 0))
        #endif
        guard made >= 0 else { return nil }
        prepare(made)
        return made
    }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Descriptors.setNonBlocking(descriptor)
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_NOSIGPIPE,
            &on,
            socklen_t(MemoryLayout.size(ofValue: on))
        )
        #endif
    }

    private static func closing(_ descriptor: Int32) -> Int32? {
        let cause = errno
        close(descriptor)
        errno = cause
        return nil
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else {
            errno = ENAMETOOLONG
            return false
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

#if canImport(Glibc)
private let systemListen = Glibc.listen
private let systemConnect = unsafe Glibc.connect
private let systemAccept = unsafe Glibc.accept
private let systemSend = unsafe Glibc.send
#elseif canImport(Musl)
private let systemListen = Musl.listen
private let systemConnect = unsafe Musl.connect
private let systemAccept = unsafe Musl.accept
private let systemSend = unsafe Musl.send
#elseif canImport(Darwin)
private let systemListen = Darwin.listen
private let systemConnect = unsafe Darwin.connect
private let systemAccept = unsafe Darwin.accept
private let systemSend = unsafe Darwin.send
#endif
