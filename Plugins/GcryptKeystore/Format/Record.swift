internal import Gcrypt
internal import PortcullisCore

/// One record of a frame's directory.
enum Record: Sendable {
    /// An item was written. Its sealed value has `sealedSize` bytes. The value begins `valueOffset` bytes
    /// after the beginning of the frame's values.
    case write(SecretName, Accessibility, version: UInt64, valueOffset: Int, sealedSize: Int)
    case remove(SecretName, version: UInt64)
    case header(generation: UInt64, mac: [UInt8], lastVersion: UInt64)

    /// The name of the item that the record changed; `nil` for a header record.
    var name: SecretName? {
        switch self {
        case .write(let name, _, _, _, _), .remove(let name, _): name
        case .header: nil
        }
    }
}

/// The records of a frame to be written, with their sealed values.
struct FrameContent: Sendable {
    private(set) var records: [Record] = []
    /// The encoded records of the directory, without their count.
    private(set) var directory: [UInt8] = []
    private(set) var values: [UInt8] = []

    var isEmpty: Bool { records.isEmpty }

    /// The reason for the change, which is passed to the anchor.
    var reason: AnchorReason {
        if records.contains(where: { if case .header = $0 { true } else { false } }) { return .slots }
        return records.contains { $0.name?.namespace.isLibraryOwned == true } ? .libraryItems : .other
    }

    /// A length of the content. ``cut(to:)`` shortens the content to this length.
    struct Mark {
        fileprivate var records: Int
        fileprivate var directory: Int
        fileprivate var values: Int
    }

    var mark: Mark { Mark(records: records.count, directory: directory.count, values: values.count) }

    /// Removes all that was added after the mark.
    mutating func cut(to mark: Mark) {
        records.removeSubrange(mark.records...)
        directory.removeSubrange(mark.directory...)
        values.removeSubrange(mark.values...)
    }

    /// Adds the record of a write and its sealed value.
    mutating func write(
        _ name: SecretName,
        _ accessibility: Accessibility,
        version: UInt64,
        sealed: some Collection<UInt8>
    ) {
        let size = UInt32(sealed.count - SealingKey.overhead)
        item(op: 1, accessibility.byte, name, size: size, version: version)
        records.append(
            .write(
                name,
                accessibility,
                version: version,
                valueOffset: values.count,
                sealedSize: sealed.count
            )
        )
        values += sealed
    }

    mutating func remove(_ name: SecretName, version: UInt64) {
        item(op: 2, 0, name, size: 0, version: version)
        records.append(.remove(name, version: version))
    }

    mutating func header(generation: UInt64, mac: [UInt8], lastVersion: UInt64) {
        records.append(.header(generation: generation, mac: mac, lastVersion: lastVersion))
        directory.append(3 as UInt8)
        directory.append(generation)
        directory += mac
        directory.append(lastVersion)
    }

    private mutating func item(
        op: UInt8,
        _ accessibility: UInt8,
        _ name: SecretName,
        size: UInt32,
        version: UInt64
    ) {
        directory.append(op)
        directory.append(accessibility)
        directory.append(UInt8(name.namespace.rawValue.utf8.count))
        directory.append(UInt16(name.name.utf8.count))
        directory.append(size)
        directory.append(version)
        directory += name.namespace.rawValue.utf8
        directory += name.name.utf8
    }
}

extension Record {
    static let fixedSize = 17

    /// Reads a directory. Returns `nil` if a record is malformed. The frame's tag was checked before, so only
    /// a defective writer can have written a malformed record.
    ///
    /// - Parameter sealedBytes: the number of bytes of sealed values in the frame.
    static func decode(_ directory: [UInt8], sealedBytes: Int) -> [Record]? {
        guard directory.count >= 4 else { return nil }
        let count = Int(directory.number(UInt32.self, at: 0))
        var records: [Record] = []
        var at = 4
        var value = 0
        for _ in 0..<count {
            guard at < directory.count else { return nil }
            if directory[at] == 3 {
                guard at + 49 <= directory.count else { return nil }
                let generation = directory.number(UInt64.self, at: at + 1)
                let lastVersion = directory.number(UInt64.self, at: at + 41)
                guard generation.isCounted, lastVersion.isCounted else { return nil }
                records.append(
                    .header(
                        generation: generation,
                        mac: directory.slice(at + 9, 32),
                        lastVersion: lastVersion
                    )
                )
                at += 49
                continue
            }
            guard at + fixedSize <= directory.count else { return nil }
            let namespaceSize = Int(directory[at + 2])
            let nameSize = Int(directory.number(UInt16.self, at: at + 3))
            let version = directory.number(UInt64.self, at: at + 9)
            let names = at + fixedSize
            guard version.isCounted, names + namespaceSize + nameSize <= directory.count,
                let namespace = try? SecretNamespace(
                    String(decoding: directory[names..<names + namespaceSize], as: UTF8.self)
                ),
                let name = try? SecretName(
                    String(
                        decoding: directory[(names + namespaceSize)..<(names + namespaceSize + nameSize)],
                        as: UTF8.self
                    ),
                    in: namespace
                )
            else { return nil }
            switch directory[at] {
            case 1:
                let size = Int(directory.number(UInt32.self, at: at + 5)) + SealingKey.overhead
                guard let accessibility = Accessibility(byte: directory[at + 1]),
                    value + size <= sealedBytes
                else { return nil }
                records.append(
                    .write(name, accessibility, version: version, valueOffset: value, sealedSize: size)
                )
                value += size
            case 2:
                records.append(.remove(name, version: version))
            default:
                return nil
            }
            at = names + namespaceSize + nameSize
        }
        return records
    }
}

extension Accessibility {
    /// The byte that stands for this class in the format.
    var byte: UInt8 { availability.rawValue | (thisDeviceOnly ? 0x80 : 0) }

    init?(byte: UInt8) {
        guard let availability = Availability(rawValue: byte & 0x7F) else { return nil }
        self.init(availability, thisDeviceOnly: byte & 0x80 != 0)
    }
}
