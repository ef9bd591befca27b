import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Stands between a program and a software TPM: it hears all that goes over, sends commands to another chip, and alters answers.
public final class ChipProxy: Sendable {
    /// A command with its answer, as it was passed on.
    public struct Exchange: Sendable {
        /// The bytes of both, headers included.
        public let command: [UInt8], answer: [UInt8]
        /// Which command it is (TPM 2.0 Part 2, 6.5.2).
        public var code: UInt32 { ChipProxy.code(command) }
    }

    private struct State: Sendable {
        var heard: [Exchange] = []
        var route: (@Sendable (UInt32) -> SoftwareTPM?)?
        var change: (@Sendable (UInt32, [UInt8]) -> [UInt8])?
    }

    private let chip: SoftwareTPM
    private let port: UInt16
    private let state = Mutex(State())
    private let listeners: [Socket]

    /// A proxy in front of a chip that is on.
    public init(_ chip: SoftwareTPM) throws {
        self.chip = chip
        port = try SoftwareTPM.freePorts()
        listeners = [try Socket(listening: port), try Socket(listening: port + 1)]
        let (commands, control) = (listeners[0], listeners[1])
        Thread.detachNewThread { [weak self] in
            while let client = commands.accept() {
                guard let self else { break }
                Thread.detachNewThread { self.pass(client) }
            }
        }
        Thread.detachNewThread { [port = chip.port + 1] in
            while let client = control.accept() { Self.join(client, port) }
        }
    }

    /// The way to the chip through the proxy.
    public var tcti: String { "swtpm:host=127.0.0.1,port=\(port)" }

    /// All that was passed on since the last ``forget()``.
    public var heard: [Exchange] { state.withLock { $0.heard } }

    /// Drops what was heard.
    public func forget() { state.withLock { $0.heard = [] } }

    /// Sends the commands with some codes to another chip; `nil`: none.
    public func route(_ route: (@Sendable (UInt32) -> SoftwareTPM?)?) { state.withLock { $0.route = route } }

    /// Has answers altered, by the code of the command; `nil`: none.
    public func alter(_ change: (@Sendable (UInt32, [UInt8]) -> [UInt8])?) {
        state.withLock { $0.change = change }
    }

    /// Ends it: nothing connects from now on.
    public func remove() { for listener in listeners { listener.shut() } }

    fileprivate static func code(_ command: [UInt8]) -> UInt32 {
        command[6..<10].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Passes commands and answers of one connection on until either end closes.
    private func pass(_ client: Socket) {
        var chips: [UInt16: Socket] = [:]
        while let command = client.message() {
            let (route, change) = state.withLock { ($0.route, $0.change) }
            let port = (route?(Self.code(command)) ?? chip).port
            guard let chip = chips[port] ?? Socket(connectedTo: port) else { return }
            chips[port] = chip
            guard chip.send(command), let answer = chip.message() else { return }
            let passed = change?(Self.code(command), answer) ?? answer
            state.withLock { $0.heard.append(Exchange(command: command, answer: passed)) }
            guard client.send(passed) else { return }
        }
    }

    /// Passes everything on in both directions.
    private static func join(_ client: Socket, _ port: UInt16) {
        guard let chip = Socket(connectedTo: port) else { return }
        Thread.detachNewThread {
            while let bytes = client.some(), chip.send(bytes) {}
            chip.shut()
        }
        Thread.detachNewThread {
            while let bytes = chip.some(), client.send(bytes) {}
            client.shut()
        }
    }
}

/// A TCP socket on this machine, for threads that block.
///
/// It is closed once, when the last thread has let go of it: the number of a closed descriptor soon belongs to another file,
/// which must not be shut down or closed in its place.
private final class Socket: Sendable {
    private let descriptor: CInt

    deinit { _ = Glibc.close(descriptor) }

    init?(connectedTo port: UInt16) {
        let descriptor = unsafe SoftwareTPM.withSocketKept(port) { descriptor, address, size in
            unsafe connect(descriptor, address, size) == 0
        }
        guard let descriptor else { return nil }
        self.descriptor = descriptor
    }

    init(listening port: UInt16) throws {
        let descriptor = unsafe SoftwareTPM.withSocketKept(port) { descriptor, address, size in
            unsafe bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
        }
        guard let descriptor else { throw SoftwareTPM.Failure(text: "nothing can listen on port \(port)") }
        self.descriptor = descriptor
    }

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    func accept() -> Socket? {
        let found = Glibc.accept(descriptor, nil, nil)
        guard found >= 0 else { return nil }
        // Programs that a test starts must not inherit it, or the connection would outlive its end.
        _ = fcntl(found, F_SETFD, FD_CLOEXEC)
        return Socket(found)
    }

    func shut() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// A whole command or answer: its third to sixth byte are its length.
    func message() -> [UInt8]? {
        guard let head = exactly(10) else { return nil }
        let length = head[2..<6].reduce(0) { $0 << 8 | Int($1) }
        guard (10...65_536).contains(length), let rest = exactly(length - 10) else { return nil }
        return head + rest
    }

    private func exactly(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = some(count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// What there is; `nil` at the end.
    func some(_ most: Int = 4096) -> [UInt8]? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, unsafe recv(descriptor, buffer.baseAddress, most, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    descriptor,
                    buffer.baseAddress! + sent,
                    bytes.count - sent,
                    CInt(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
