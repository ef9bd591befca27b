import Foundation
import Reporting

/// Names of the columns.
enum Column {
    static let ours = Table.ours
    static let limit = "limit"
    /// The limit's work on a thread of its own, as everything that blocks has to be in an async program.
    static let thread = "limit on a thread"
    static let sqlite = "SQLite"
    static let sqlcipher = "SQLCipher"
    static let libsecret = "libsecret"
    static let libargon2 = "libargon2"
    static let libsodium = "libsodium"
}

/// What all measurements share.
struct Bench {
    let folder: URL
    let rounds: Int
    let sizes: [Int]
    /// The most items that libsecret gets: it takes as long for each as it has items.
    let libsecretItems: Int

    /// A place for one contestant's files.
    func path(_ name: String) throws -> String {
        let place = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        unsafe chmod(place.path, 0o700)
        return place.appendingPathComponent("store").path
    }

    /// How many bytes ours appends for one of the items.
    func frameSize() async throws -> Int {
        let path = try path("frame-size")
        let store = try await Ours(path, items: 2, growth: 0)
        try await store.put(0, Items.value())
        let before = try Self.size(path)
        try await store.put(1, Items.value())
        await store.close()
        return try Self.size(path) - before
    }

    static func size(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes[.size] as? Int else { throw MeasuringFailed("\(path) has no size") }
        return size
    }

    /// Runs this program again and gives back what it prints.
    static func child(_ arguments: [String], under command: [String] = []) throws -> Child {
        try Child(command + [CommandLine.arguments[0]] + arguments)
    }
}

/// A process of ours.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ command: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits for a line of the child's.
    func line() throws -> String {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n")
        {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Lets the child go on.
    func go() throws { try input.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")]) }

    /// Waits for the end, and gives what was printed until then.
    func end() throws -> String {
        try? input.fileHandleForWriting.close()
        let rest = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw MeasuringFailed("a child ended with \(process.terminationStatus)")
        }
        return String(decoding: rest, as: UTF8.self)
    }
}
