/// The parts of a zone file, for files that zic would not write.
struct HandmadeFile {
    var version = UInt8(ascii: "3")
    /// Seconds since 1970, and which type from then on.
    var changes: [(second: Int, type: UInt8)] = []
    var offsets = [0]
    var kinds: [UInt8] = [0]
    var letters: [UInt8] = Array("AAA\0".utf8)
    var nameIndex: UInt8 = 0
    var footer = ""
    var leaps = 0
    var indicators = 0

    var bytes: [UInt8] {
        guard version > 0 else { return block(4) }
        return HandmadeFile(version: version).block(4) + block(8) + "\n\(footer)\n".utf8
    }

    private func block(_ size: Int) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in [indicators, indicators, leaps, changes.count, offsets.count, letters.count] {
            bytes += Self.bytes(of: count, 4)
        }
        for change in changes { bytes += Self.bytes(of: change.second, size) }
        bytes += changes.map(\.type)
        for (place, offset) in offsets.enumerated() {
            bytes += Self.bytes(of: offset, 4) + [place < kinds.count ? kinds[place] : 0, nameIndex]
        }
        bytes += letters
        for leap in 0..<leaps {
            bytes += Self.bytes(of: leap * 78_796_800, size) + Self.bytes(of: leap + 1, 4)
        }
        return bytes + [UInt8](repeating: 0, count: 2 * indicators)
    }

    private static func bytes(of number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }
}
