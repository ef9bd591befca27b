import Foundation

/// The zones of a text, compiled by this machine's `zic` into a folder that goes with the value.
final class CompiledZones {
    let folder: String

    /// Where the programs are; `nil` where either is missing, and then no test can compare with them.
    static let tools: (zic: String, zdump: String)? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin"]
        let found = ["zic", "zdump"].map { name in
            folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        guard let zic = found[0], let zdump = found[1] else { return nil }
        return (zic, zdump)
    }()

    static let isPossible = tools != nil

    /// The text that is part of the tests.
    static var text: String {
        Bundle.module.path(forResource: "zones", ofType: "zi", inDirectory: "Rules") ?? ""
    }

    /// - Parameters:
    ///   - text: a path to what zic reads; default: what is part of the tests.
    ///   - isFat: whether changes up to 2037 are written out, too, as old readers need them.
    init(_ text: String = text, isFat: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let zic = try Self.tool { $0.zic }
        _ = try Self.run(zic, ["-b", isFat ? "fat" : "slim", "-d", folder, text])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Compiles rules of its own over what is there, as an update does: each file takes another's place.
    func add(_ rules: String) throws {
        let text = folder + ".zi"
        try Data(rules.utf8).write(to: URL(filePath: text))
        defer { try? FileManager.default.removeItem(atPath: text) }
        _ = try Self.run(try Self.tool { $0.zic }, ["-d", folder, text])
    }

    /// The names of all zones.
    var names: [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            let kind = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.type]
            return kind as? FileAttributeType == .typeRegular
        }.sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    /// What zdump says: the seconds before and at each change from 1900 to 2100, and the offset there.
    func dump(_ name: String) throws -> [(second: Int, offset: Int)] {
        let text = try Self.run(
            try Self.tool { $0.zdump },
            ["-v", "-c", "1900,2100", "\(folder)/\(name)"]
        )
        return text.split(separator: "\n").compactMap { line in
            // …/Riga  Sun Mar 29 00:59:59 2026 UT = Sun Mar 29 02:59:59 2026 EET isdst=0 gmtoff=7200
            let words = line.split(separator: " ")
            guard words.count == 16, words[6] == "UT", let day = Int(words[3]), let year = Int(words[5]),
                let month = Self.months.firstIndex(of: String(words[2])),
                let offset = Int(words[15].dropFirst("gmtoff=".count))
            else { return nil }
            let time = words[4].split(separator: ":").compactMap { Int($0) }
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = DateComponents(
                year: year,
                month: month + 1,
                day: day,
                hour: time[0],
                minute: time[1],
                second: time[2]
            )
            return calendar.date(from: parts).map { (Int($0.timeIntervalSince1970), offset) }
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func tool(_ which: ((zic: String, zdump: String)) -> String) throws -> String {
        guard let tools else { throw CocoaError(.fileNoSuchFile) }
        return which(tools)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
