import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import Testing

@testable import SealedSession

@Suite("the sockets of a session's agent (K-8)", .timeLimit(.minutes(5)))
struct UnixSocketTests {
    private let folder: URL

    init() throws {
        folder = URL(fileURLWithPath: "/tmp/sockets-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    @Test("K-8: a socket is this user's alone, blocks nowhere, and no program that is started has it")
    func properties() throws {
        defer { remove() }
        let path = folder.appendingPathComponent("agent").path
        let listener = try #require(UnixSocket.listen(at: path))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(UnixSocket.accept(listener) == nil && errno == EAGAIN)
        let client = try #require(UnixSocket.connect(to: path))
        let server = try #require(UnixSocket.accept(listener))
        for socket in [listener, client, server] {
            #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(UnixSocket.isOwn(client) && UnixSocket.isOwn(server))
        UnixSocket.end(listener)
        #expect(UnixSocket.connect(to: path) == nil && errno == ECONNREFUSED)
        for socket in [client, server] { close(socket) }
    }

    @Test(
        "K-8: bytes arrive from where they are sent, as many as there is room for, and a closed end is no signal"
    )
    func sending() throws {
        defer { remove() }
        let path = folder.appendingPathComponent("agent").path
        let listener = try #require(UnixSocket.listen(at: path))
        defer { close(listener) }
        let client = try #require(UnixSocket.connect(to: path))
        defer { close(client) }
        let server = try #require(UnixSocket.accept(listener))
        let buffer = SecretBuffer(capacity: 8)
        #expect(UnixSocket.receive(into: buffer, from: server) == .nothing)
        #expect(buffer.count == 0)
        #expect(UnixSocket.send(SecretBytes(copying: [1, 2, 3, 4]), from: 1, to: client) == 3)
        #expect(UnixSocket.receive(into: buffer, from: server) == .bytes(3))
        #expect(buffer.finish().matches(SecretBytes(copying: [2, 3, 4])))
        let large = SecretBytes(copying: [UInt8](repeating: 1, count: 4 << 20))
        let sent = try #require(UnixSocket.send(large, from: 0, to: client))
        #expect(sent > 0 && sent < large.count)
        #expect(UnixSocket.send(large, from: sent, to: client) == 0)
        // A process that another test is starting may have a copy for a moment, so closing alone may not end it.
        shutdown(server, Int32(SHUT_RDWR))
        close(server)
        #expect(UnixSocket.send(large, from: sent, to: client) == nil)
        #expect(UnixSocket.receive(into: SecretBuffer(capacity: 8), from: client) != .bytes(8))
    }

    @Test(
        "K-8: a path of 107 bytes is the longest; a longer one and one that is taken are errors that leave nothing open"
    )
    func paths() async throws {
        remove()
        await #expect(processExitsWith: .success) {
            let folder = URL(fileURLWithPath: "/tmp/paths-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: folder) }
            // Other descriptors may be the runtime's.
            func open() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)"
                    )
                    return target?.hasPrefix("socket:") == true
                }
            }
            func path(_ count: Int) -> String {
                folder.path + "/" + String(repeating: "x", count: count - folder.path.utf8.count - 1)
            }
            let before = try open()
            #expect(UnixSocket.listen(at: path(108)) == nil && errno == ENAMETOOLONG)
            #expect(UnixSocket.connect(to: path(108)) == nil && errno == ENAMETOOLONG)
            #expect(UnixSocket.connect(to: path(107)) == nil && errno == ENOENT)
            #expect(try open() == before)
            let listener = try #require(UnixSocket.listen(at: path(107)))
            #expect(UnixSocket.listen(at: path(107)) == nil && errno == EADDRINUSE)
            #expect(try open() == before + 1)
            let connection = try #require(UnixSocket.connect(to: path(107)))
            for one in [listener, connection] { close(one) }
        }
    }

    #if os(Linux)
    @Test(
        "K-8: a socket on which a process of another user listens is not used",
        .enabled(if: geteuid() == 0)
    )
    func foreign() async throws {
        remove()
        await #expect(processExitsWith: .success) {
            let path = "/tmp/foreign-\(UUID().uuidString.prefix(8))"
            let listener = try #require(UnixSocket.listen(at: path))
            defer { try? FileManager.default.removeItem(atPath: path) }
            // So that the file's rights do not refuse the connection first.
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            let own = try #require(UnixSocket.connect(to: path))
            let server = try #require(UnixSocket.accept(listener))
            #expect(UnixSocket.isOwn(own) && UnixSocket.isOwn(server))
            try #require(seteuid(65534) == 0)
            let isOwn = UnixSocket.isOwn(server)
            let opened = UnixSocket.connect(to: path)
            let cause = errno
            try #require(seteuid(0) == 0)
            #expect(!isOwn && opened == nil && cause == EPERM)
            for one in [own, server, listener] { close(one) }
        }
    }
    #endif
}
