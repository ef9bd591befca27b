public import Foundation
import ProcessEnd
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A TPM 2.0 in software (swtpm), with a state that outlives it.
///
/// It has no resource manager: what a killed process leaves loaded stays until ``flush()``.
///
/// Where the variable `PORTCULLIS_TPM` of the environment names a TCTI, such as `device:/dev/tpmrm0`, that chip takes its place.
/// Each new `SoftwareTPM` then **clears** the chip. It cannot be turned off, and all tests share it, so they run one after
/// the other.
public final class SoftwareTPM: Sendable {
    /// Where its state lies; removed with ``remove()``.
    public let folder: URL
    /// Where commands go; the next port is for control.
    public let port: UInt16
    private let process = Mutex<Process?>(nil)

    /// Whether swtpm, its TCTI and tpm2-tools are installed; tests that need them are skipped otherwise, and say so.
    public static let isInstalled: Bool = {
        guard !isOwn || executable("swtpm") != nil, executable("tpm2_getcap") != nil else { return false }
        let libraries =
            ["libtss2-tctildr.so.0"] + (isOwn ? ["libtss2-tcti-swtpm.so.0"] : [])
        return libraries.allSatisfy { name in
            guard let library = unsafe dlopen(name, RTLD_LAZY) else { return false }
            unsafe dlclose(library)
            return true
        }
    }()

    /// The chip that takes the place of all software TPMs.
    private static let named = ProcessInfo.processInfo.environment["PORTCULLIS_TPM"]

    /// Whether each software TPM is a chip of its own, which can be turned off.
    public static var isOwn: Bool { named == nil }

    /// Whether tests can run that need several chips, or a chip that can be turned off.
    public static var isInstalledAndOwn: Bool { isInstalled && isOwn }

    static func executable(_ name: String) -> URL? {
        ["/usr/bin", "/usr/local/bin", "/bin"]
            .map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// A new chip, which is on.
    public init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("portcullis-tpm-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.isOwn else {
            port = 0
            try tool("tpm2_clear")
            return
        }
        port = try Self.freePorts()
        try turnOn()
    }

    deinit { turnOff() }

    /// The way to it.
    public var tcti: String { Self.named ?? "swtpm:host=127.0.0.1,port=\(port)" }

    /// Starts it, with the state that it has.
    public func turnOn() throws {
        guard let program = Self.executable("swtpm") else { throw Failure(text: "swtpm is not installed") }
        let process = Process()
        process.executableURL = program
        process.arguments = [
            "socket", "--tpm2", "--tpmstate", "dir=\(folder.path)", "--server", "type=tcp,port=\(port)",
            "--ctrl",
            "type=tcp,port=\(port + 1)", "--flags", "not-need-init,startup-clear",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        for _ in 0..<500 {
            if Self.connects(to: port) { return }
            guard process.isRunning else { break }
            usleep(10_000)
        }
        throw Failure(text: "swtpm did not start on port \(port)")
    }

    /// Kills it, as a power failure does.
    public func turnOff() {
        guard
            let process = process.withLock({ process in
                defer { process = nil }
                return process
            })
        else { return }
        process.killAndWait()
    }

    /// Ends it and removes its state.
    public func remove() {
        turnOff()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Makes it another chip: nothing of what it held is left.
    public func replace() throws {
        turnOff()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        try turnOn()
    }

    /// Runs a command of tpm2-tools, as whoever may open the chip can, and gives what it printed.
    @discardableResult
    public func tool(_ command: String, _ arguments: String..., input: Data? = nil) throws -> String {
        let result = run(command, arguments, input: input)
        guard result.status == 0 else { throw Failure(text: "\(command): \(result.text)") }
        return result.text
    }

    /// Runs a command of tpm2-tools that may fail.
    public func run(_ command: String, _ arguments: [String], input: Data? = nil) -> (
        status: Int32, text: String
    ) {
        guard let program = Self.executable(command) else { return (127, "\(command) is not installed") }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ["TPM2TOOLS_TCTI": tcti, "PATH": "/usr/bin:/bin"]
        process.currentDirectoryURL = folder
        let (output, feed) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = output
        process.standardInput = feed
        do { try process.run() } catch { return (126, "\(error)") }
        try? feed.fileHandleForWriting.write(contentsOf: input ?? Data())
        try? feed.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// Takes out what killed processes left loaded.
    public func flush() {
        for kind in ["-t", "-l", "-s"] { _ = run("tpm2_flushcontext", [kind]) }
    }

    /// The handles of a kind that are there, in lower case, such as `0x1a00001`.
    public func handles(_ kind: String) throws -> [String] {
        try tool("tpm2_getcap", "handles-\(kind)").split(separator: "\n").map {
            $0.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "- "))
        }
    }

    /// What went wrong.
    public struct Failure: Error, CustomStringConvertible {
        let text: String
        /// The same in words.
        public var description: String { text }
    }

    /// Two ports in a row that are free.
    static func freePorts() throws -> UInt16 {
        for _ in 0..<200 {
            let port = UInt16.random(in: 20_000...32_000)
            if !connects(to: port), !connects(to: port + 1), canListen(port), canListen(port + 1) {
                return port
            }
        }
        throw Failure(text: "no two ports in a row are free")
    }

    private static func canListen(_ port: UInt16) -> Bool {
        unsafe withSocket(port) { descriptor, address, size in unsafe bind(descriptor, address, size) == 0 }
    }

    private static func connects(to port: UInt16) -> Bool {
        unsafe withSocket(port) { descriptor, address, size in unsafe connect(descriptor, address, size) == 0
        }
    }

    @unsafe
    private static func withSocket(
        _ port: UInt16,
        _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        guard let descriptor = unsafe withSocketKept(port, body) else { return false }
        close(descriptor)
        return true
    }

    /// A socket with which something succeeded, to be closed; it is `nil`, and closed, where it did not.
    @unsafe
    static func withSocketKept(
        _ port: UInt16,
        _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> CInt? {
        // Programs that a test starts must not inherit it, or a connection would outlive its end.
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let succeeds = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard succeeds else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
