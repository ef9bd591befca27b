/// A whole tag: its name, and its attributes in any order, as the file has them.
struct XMLTag {
    private struct Attribute {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// The tag's offset in the file.
    private(set) var offset = 0
    private(set) var isEmptyElement = false
    /// The bytes between `<` and `>`.
    private var bytes: [UInt8] = []
    private var nameEnd = 0
    private var attributes: [Attribute] = []

    var count: Int { bytes.count }
    var isEnd: Bool { bytes.first == UInt8(ascii: "/") }
    var name: ArraySlice<UInt8> { bytes[..<nameEnd] }

    mutating func start(at offset: Int) {
        self.offset = offset
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ span: Span<UInt8>) {
        bytes.append(addingCapacity: span.count) { output in
            for index in span.indices { output.append(span[index]) }
        }
    }

    func isExactly(_ text: StaticString) -> Bool { isText(text, at: bytes.indices) }

    /// Whether the bytes so far are the beginning of a text.
    func begins(_ text: String) -> Bool { text.utf8.starts(with: bytes) }

    func isNamed(_ text: StaticString) -> Bool { isText(text, at: 0..<nameEnd) }

    /// Whether the tag has an attribute with exactly this value, before entities are replaced.
    func has(_ name: StaticString, _ value: StaticString) -> Bool {
        attributes.contains { isText(name, at: $0.name) && isText(value, at: $0.value) }
    }

    /// An attribute's value with its entities replaced; `nil` if the tag has no such attribute.
    func value(_ name: StaticString) -> String? {
        guard let attribute = attributes.first(where: { isText(name, at: $0.name) }) else { return nil }
        let raw = bytes[attribute.value]
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        var text = ""
        var rest = raw
        while let start = rest.firstIndex(of: UInt8(ascii: "&")),
            let end = rest[start...].firstIndex(of: UInt8(ascii: ";"))
        {
            text += String(decoding: rest[..<start], as: UTF8.self)
            if let character = Self.character(of: rest[(start + 1)..<end]) {
                text.unicodeScalars.append(character)
            }
            rest = rest[(end + 1)...]
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private func isText(_ text: StaticString, at range: Range<Int>) -> Bool {
        text.withUTF8Buffer { wanted in unsafe bytes[range].elementsEqual(wanted) }
    }
}

// Reads the bytes between `<` and `>`.
extension XMLTag {
    func endName() throws(StepFileError) -> ArraySlice<UInt8> {
        let end = try nameEnd(from: 1)
        guard bytes[end...].allSatisfy(\.isSpace) else {
            throw error("something after an end tag's name", end)
        }
        return bytes[1..<end]
    }

    mutating func parse() throws(StepFileError) {
        attributes.removeAll(keepingCapacity: true)
        nameEnd = try nameEnd(from: 0)
        isEmptyElement = false
        var index = nameEnd
        while true {
            let space = index
            skipSpace(&index)
            guard index < bytes.count else { return }
            if bytes[index] == UInt8(ascii: "/") {
                guard index == bytes.count - 1 else { throw error("/ inside of a tag", index) }
                isEmptyElement = true
                return
            }
            guard index > space else { throw error("no space before an attribute", index) }
            try parseAttribute(&index)
        }
    }

    private mutating func parseAttribute(_ index: inout Int) throws(StepFileError) {
        let start = index
        let end = try nameEnd(from: start)
        index = end
        skipSpace(&index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
            throw error("an attribute without a value", start)
        }
        index += 1
        skipSpace(&index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
        else {
            throw error("a value without quotes", index)
        }
        let first = index + 1
        guard let last = bytes[first...].firstIndex(of: bytes[index]) else {
            throw error("a value without an end", first)
        }
        for other in attributes where bytes[other.name] == bytes[start..<end] {
            throw error("an attribute that occurs twice", start)
        }
        try checkEntities(in: first..<last)
        attributes.append(Attribute(name: start..<end, value: first..<last))
        index = last + 1
    }

    private func checkEntities(in range: Range<Int>) throws(StepFileError) {
        var rest = bytes[range]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            guard let end = rest[start...].firstIndex(of: UInt8(ascii: ";")),
                Self.character(of: rest[(start + 1)..<end]) != nil
            else { throw error("an entity that there is not", start) }
            rest = rest[(end + 1)...]
        }
    }

    /// The five entities of XML, and characters by number. An export's document type defines no other
    /// entities.
    private static func character(of entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: entity, as: UTF8.self)
        switch text {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard text.hasPrefix("#") else { return nil }
            let digits = text.dropFirst(text.hasPrefix("#x") ? 2 : 1)
            guard digits.allSatisfy(\.isHexDigit) else { return nil }
            return UInt32(digits, radix: text.hasPrefix("#x") ? 16 : 10).flatMap {
                $0 > 0 ? Unicode.Scalar($0) : nil
            }
        }
    }

    private func nameEnd(from start: Int) throws(StepFileError) -> Int {
        var end = start
        while end < bytes.count, Self.isNameByte(bytes[end], isFirst: end == start) { end += 1 }
        guard end > start else { throw error("a name was expected", start) }
        return end
    }

    private static func isNameByte(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
    }

    private func skipSpace(_ index: inout Int) {
        while index < bytes.count, bytes[index].isSpace { index += 1 }
    }

    private func error(_ reason: String, _ index: Int) -> StepFileError {
        StepFileError(offset: offset + 1 + index, reason: reason)
    }
}
