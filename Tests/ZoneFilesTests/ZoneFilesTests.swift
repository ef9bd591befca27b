#if os(Linux)
import AdapterKit
import Foundation
import Glibc
import PortcullisCore
import Testing

@testable import ZoneFiles

/// Names and folders.
@Suite(.timeLimit(.minutes(5))) struct ZoneFilesTests {
    private let folder: String
    private let files: ZoneFiles

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID())").path
        files = ZoneFiles(folders: [folder + "/none", folder])
        try FileManager.default.createDirectory(atPath: folder + "/Made", withIntermediateDirectories: true)
        try write(HandmadeFile(footer: "AAA-3").bytes, "Made/Up")
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: folder + "/" + name))
    }

    private func code(_ name: String) -> ZoneFileErrorCode? {
        do throws(ZoneFileError) {
            _ = try files.zone(named: name)
            return nil
        } catch { return error.code }
    }

    @Test("S-2: a zone is the file of its name, and nothing that is elsewhere or no file")
    func names() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try files.zone(named: "Made/Up").table.offset(at: 0) == 10_800)
        for name in [
            "", "/", "/Made/Up", "Made/Up/", "Made//Up", "Made/./Up", "Made/../Made/Up", "..", ".",
            "Made/Up\0", "Made/Úp",
            "Made", "Made/Up/More", "made/up", "Made/Down", String(repeating: "A", count: 300), "A b",
            "\(folder)/Made/Up",
        ] {
            #expect(code(name) == .unknownZone, "\(name)")
        }
        try write([1, 2, 3], "Made/Broken")
        #expect(code("Made/Broken") == .damaged)
        try write([], "Made/Empty")
        #expect(code("Made/Empty") == .damaged)
        try write([UInt8](repeating: 0, count: 1 << 20), "Made/Large")
        #expect(code("Made/Large") == .notAZone)
        #expect(unsafe mkfifo(folder + "/Made/Pipe", 0o600) == 0)
        #expect(code("Made/Pipe") == .notAZone, "and nothing waits for it")
        #expect(unsafe symlink("Loop", folder + "/Made/Loop") == 0)
        #expect(code("Made/Loop") == .unreadable)
        #expect(unsafe symlink("/dev/zero", folder + "/Made/Zero") == 0)
        #expect(code("Made/Zero") == .notAZone)
        #expect(unsafe symlink("Up", folder + "/Made/Link") == 0)
        #expect(try files.zone(named: "Made/Link").table.offset(at: 0) == 10_800)
        #expect(Set(files.names) == ["Made/Up", "Made/Broken", "Made/Empty", "Made/Large", "Made/Link"])
        #expect(Set(files.watchedFolders) == [folder, folder + "/Made"])
    }

    @Test(
        "S-2: without any zone files UTC is known under all its names, and the others are told to be missing"
    )
    func noFiles() throws {
        try FileManager.default.removeItem(atPath: folder)
        for name in ["UTC", "Etc/UTC", "GMT", "Etc/GMT", "Zulu", "GMT0", "Etc/GMT+0", "Etc/Greenwich"] {
            #expect(try files.zone(named: name).table == .utc)
        }
        #expect(code("Europe/Riga") == .noZoneFiles)
        #expect(files.names == [] && files.watchedFolders == [] && files.version == "none")
    }

    @Test("S-2: the version is what the database's files say")
    func version() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(files.version == "unknown")
        try write(Array("2026c\n".utf8), "+VERSION")
        #expect(files.version == "2026c")
        try write(Array("# version 2026d\nR A".utf8), "tzdata.zi")
        #expect(files.version == "2026d")
        for line in ["# version \u{1b}[31m\n", "# release 2026e\n", "# version"] {
            try write(Array(line.utf8), "tzdata.zi")
            #expect(files.version == "2026c", "\(line)")
        }
    }

    @Test("S-2: a stamp tells that the file was replaced, written or removed")
    func stamps() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stamp = try #require(try files.zone(named: "Made/Up").stamp)
        #expect(stamp.isCurrent)
        try write(HandmadeFile(footer: "AAA-4").bytes, "new")
        #expect(unsafe rename(folder + "/new", folder + "/Made/Up") == 0)
        #expect(!stamp.isCurrent)
        let second = try #require(try files.zone(named: "Made/Up").stamp)
        #expect(second.isCurrent)
        try FileManager.default.removeItem(atPath: folder + "/Made/Up")
        #expect(!second.isCurrent)
    }
}
#endif
