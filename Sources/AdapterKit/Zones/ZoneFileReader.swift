internal import PortcullisCore

/// The offsets in one block of a zone file.
struct ZoneFileBlock {
    /// The times of the changes, in seconds since 1970.
    var times: [Int] = []
    /// For each change, the type of local time after it, as an index in `offsets`.
    var kinds: ArraySlice<UInt8> = []
    /// For each type of local time, the seconds to add to UTC. The first type applies before the first
    /// change.
    var offsets: [Int] = []
}

/// The header of a block: the file's version, and the sizes of the parts that follow.
struct ZoneFileHead {
    /// The version, 1 to 4. A later version is read as 4.
    var version: Int
    var universal: Int
    var standard: Int
    var leaps: Int
    var times: Int
    var types: Int
    var letters: Int

    /// The number of bytes in the block after the header. All counts are below 2³², so the sum cannot
    /// overflow.
    func size(timeSize: Int) -> Int {
        times * (timeSize + 1) + types * 6 + letters + leaps * (timeSize + 4) + standard + universal
    }
}

/// Reads the parts of a zone file, from its first byte to its last.
struct ZoneFileReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) throws(ZoneFileError) { _ = try take(count) }

    private mutating func take(_ count: Int) throws(ZoneFileError) -> ArraySlice<UInt8> {
        guard count <= bytes.count - place else { throw .damaged("fewer bytes than it announces") }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// Reads a header (RFC 9636, 3.1).
    mutating func head() throws(ZoneFileError) -> ZoneFileHead {
        let head = try take(44)
        guard head.prefix(4).elementsEqual("TZif".utf8) else {
            throw .damaged("another first word than TZif")
        }
        let letter = head[head.startIndex + 4]
        let version: Int
        switch letter {
        case 0: version = 1
        case UInt8(ascii: "2")...UInt8(ascii: "9"): version = min(Int(letter - UInt8(ascii: "0")), 4)
        default: throw .damaged("an unknown version")
        }
        let counts = (0..<6).map { word in
            head.dropFirst(20 + word * 4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        let found = ZoneFileHead(
            version: version,
            universal: counts[0],
            standard: counts[1],
            leaps: counts[2],
            times: counts[3],
            types: counts[4],
            letters: counts[5]
        )
        // The file gives the type of each change in one byte, so there are at most 256 types.
        guard (1...256).contains(found.types), found.letters > 0, [0, found.types].contains(found.universal),
            [0, found.types].contains(found.standard)
        else { throw .damaged("counts that contradict each other") }
        return found
    }

    /// Reads the block that follows a header (RFC 9636, 3.2).
    mutating func block(of head: ZoneFileHead, timeSize: Int) throws(ZoneFileError) -> ZoneFileBlock {
        guard head.leaps == 0 else {
            throw ZoneFileError(code: .leapSeconds, message: "a zone file that counts leap seconds")
        }
        var block = ZoneFileBlock()
        block.times = integers(in: try take(head.times * timeSize), size: timeSize)
        block.kinds = try take(head.times)
        let types = try take(head.types * 6)
        let letters = try take(head.letters)
        // The names are stored one after the other, each with a zero byte at its end. A name that begins
        // after the last zero byte has no end.
        let named = letters.lastIndex(of: 0).map { $0 - letters.startIndex } ?? -1
        for start in stride(from: types.startIndex, to: types.endIndex, by: 6) {
            guard types[start + 4] <= 1, Int(types[start + 5]) <= named else {
                throw .damaged("a type without a name or kind")
            }
            block.offsets += integers(in: types[start..<start + 4], size: 4)
        }
        let standard = try take(head.standard)
        let universal = try take(head.universal)
        guard standard.allSatisfy({ $0 <= 1 }), universal.allSatisfy({ $0 <= 1 }) else {
            throw .damaged("an indicator that is neither yes nor no")
        }
        return block
    }

    /// Reads the text between the two line ends that follow the last block (RFC 9636, 3.3).
    mutating func footer() throws(ZoneFileError) -> ArraySlice<UInt8> {
        let lineEnd = UInt8(ascii: "\n")
        guard try take(1).first == lineEnd, let end = bytes[place...].firstIndex(of: lineEnd) else {
            throw .damaged("a footer without its line ends")
        }
        return try take(end - place)
    }

    /// Reads consecutive big-endian two's complement numbers.
    private func integers(in bytes: ArraySlice<UInt8>, size: Int) -> [Int] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: size).map { start in
            var number = Int(Int8(bitPattern: bytes[start]))
            for byte in bytes[start + 1..<start + size] { number = number << 8 | Int(byte) }
            return number
        }
    }
}
