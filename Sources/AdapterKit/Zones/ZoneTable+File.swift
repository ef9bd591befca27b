public import PortcullisCore

extension ZoneTable {
    /// The size limit of a zone file in bytes. The files of the tz database are smaller than 4 KiB.
    package static let mostBytes = 65_536
    /// The limit of the number of changes in a file. The files of the tz database have about 250.
    private static let mostChanges = 4_000
    /// The limit of a change's time, in seconds before and after 1970. It is longer than the age of the
    /// universe (RFC 9636, 3.2).
    private static let horizon = 1 << 59
    /// The allowed offsets from UTC in seconds, between −25 and 26 hours, exclusive (RFC 9636, 3.2).
    private static let offsets = (-25 * 3_600 + 1)...(26 * 3_600 - 1)

    /// Reads the bytes of a zone file (RFC 9636) of versions 1 to 4. Later versions are read as version 4.
    ///
    /// The file's size limits the duration of the call, whatever numbers the file contains.
    ///
    /// - Throws: ``ZoneFileError``: ``ZoneFileErrorCode/damaged`` for a file that breaks the format's
    ///   rules, ``ZoneFileErrorCode/leapSeconds`` for a file that counts leap seconds,
    ///   ``ZoneFileErrorCode/notAZone`` for a file of more than 64 KiB.
    public init(file: [UInt8]) throws(ZoneFileError) {
        guard file.count <= Self.mostBytes else {
            throw ZoneFileError(code: .notAZone, message: "\(file.count) bytes are too many for a zone file")
        }
        var reader = ZoneFileReader(bytes: file)
        let head = try reader.head()
        guard head.version > 1 else {
            try self.init(reader.block(of: head, timeSize: 4), footer: [], isExtended: false)
            return
        }
        // The first block is skipped, because it is only for readers of 32-bit times.
        try reader.skip(head.size(timeSize: 4))
        let wide = try reader.head()
        guard wide.version == head.version else { throw .damaged("two versions in one file") }
        let block = try reader.block(of: wide, timeSize: 8)
        try self.init(block, footer: reader.footer(), isExtended: wide.version > 2)
    }

    private init(
        _ block: ZoneFileBlock,
        footer: ArraySlice<UInt8>,
        isExtended: Bool
    ) throws(ZoneFileError) {
        guard block.times.count <= Self.mostChanges else { throw .damaged("too many changes") }
        guard block.offsets.allSatisfy(Self.offsets.contains) else {
            throw .damaged("an offset out of range")
        }
        var changes: [Change] = []
        changes.reserveCapacity(block.times.count)
        for (time, kind) in zip(block.times, block.kinds) {
            guard (-Self.horizon...Self.horizon).contains(time), time > changes.last?.second ?? .min else {
                throw .damaged("a time of change out of range or order")
            }
            guard Int(kind) < block.offsets.count else { throw .damaged("a change to an unknown type") }
            changes.append(Change(second: time, offset: block.offsets[Int(kind)]))
        }
        guard !footer.isEmpty else {
            self.init(firstOffset: block.offsets[0], changes: changes)
            return
        }
        // The footer applies from the last change on, or always if there are no changes. If the footer and
        // the last change disagree on the offset, the footer's offset is used. zdump does the same. For
        // example, they disagree in the file of America/Ojinaga that the zic of glibc 2.36 writes (change of
        // 2022).
        let start = changes.last?.second ?? .min
        let rule: ZoneRule?
        let offset: Int
        switch ZoneRule.Meaning(footer: footer, isExtended: isExtended) {
        case .rule(let found):
            rule = found
            offset = found.span(at: max(start, Self.dawn)).offset
        case .always(let found):
            rule = nil
            offset = found
        case .nothing, nil:
            throw .damaged("a footer that is no rule")
        }
        let first = changes.isEmpty ? offset : block.offsets[0]
        if !changes.isEmpty { changes[changes.count - 1].offset = offset }
        self.init(firstOffset: first, changes: changes, rule: rule, ruleStart: rule == nil ? .max : start)
    }
}

extension ZoneFileError {
    static func damaged(_ reason: String) -> Self {
        Self(code: .damaged, message: "a zone file with \(reason)")
    }
}
