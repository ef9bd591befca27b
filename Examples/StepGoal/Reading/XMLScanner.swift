/// Finds the tags of an XML document that comes in pieces, in constant memory.
///
/// Foundation's parser reads in constant memory too, but it does not suit these files. On Linux it crashes at
/// a document type that declares an attribute without a default, as every export's does. And no parser should
/// accept the document type of iOS 16, in which a declaration is never closed. So this scanner skips the
/// document type, and looks only at its quotes, comments and brackets. Tags have to be well-formed up to the
/// last byte: names, attributes, entities, one root, and the end tag of each element. Text between tags and
/// in instructions is not checked. Control characters, which XML forbids and some exports have, are accepted.
struct XMLScanner {
    private enum Place {
        case start, text, lessThan, tag, exclamation, instruction, comment, characters
        case documentType, typeComment, typeInstruction
    }

    /// The largest size of a tag in bytes, above that of any tag in an export. A file with a longer tag is
    /// refused.
    private static let longestTag = 1 << 20
    private static let deepestElement = 1_000

    private var place = Place.start
    /// The number of bytes that were read before.
    private(set) var offset = 0
    /// The part of the present tag that was read.
    private var tag = XMLTag()
    /// The quote that is open, or 0.
    private var quote: UInt8 = 0
    /// How many bytes of the present place's end were read.
    private var matched = 0
    /// The latest four bytes of the document type.
    private var latest: UInt32 = 0
    private var isInSubset = false
    private var elements = OpenElements()
    private var hasRoot = false

    /// Takes the next piece.
    ///
    /// - Parameters:
    ///   - bytes: a piece of any length.
    ///   - element: is called with each start tag, and the number of elements around it.
    /// - Throws: ``StepFileError`` with the offset of the fault; the errors of `element`.
    mutating func take(_ bytes: Span<UInt8>, element: (borrowing XMLTag, _ depth: Int) throws -> Void) throws
    {
        let base = offset
        var index = 0
        while index < bytes.count {
            switch place {
            case .text:
                while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
                    if elements.isEmpty, !bytes[index].isSpace {
                        throw error("text outside of the root", base + index)
                    }
                    index += 1
                }
                guard index < bytes.count else { break }
                tag.start(at: base + index)
                place = .lessThan
                index += 1
            case .tag:
                let start = index
                while index < bytes.count, !isBorder(bytes[index]) { index += 1 }
                tag.append(bytes.extracting(start..<index))
                guard tag.count <= Self.longestTag else { throw error("a tag without an end", tag.offset) }
                guard index < bytes.count else { break }
                offset = base + index
                try border(bytes[index], element)
                index += 1
            default:
                offset = base + index
                try step(bytes[index])
                index += 1
            }
        }
        offset = base + bytes.count
    }

    /// Ends the document after the last piece.
    func finish() throws(StepFileError) {
        switch place {
        case .start where matched == 0, .text: break
        default: throw error("the file ends inside of markup", offset)
        }
        guard elements.isEmpty else { throw error("the file ends before its elements do", offset) }
        guard hasRoot else { throw error("there is no element", offset) }
    }

    private func error(_ reason: String, _ offset: Int) -> StepFileError {
        StepFileError(offset: offset, reason: reason)
    }

    // MARK: Tags

    private func isBorder(_ byte: UInt8) -> Bool {
        if byte == UInt8(ascii: "<") { return true }
        if quote != 0 { return byte == quote }
        return byte == UInt8(ascii: ">") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private mutating func border(_ byte: UInt8, _ element: (borrowing XMLTag, Int) throws -> Void) throws {
        switch byte {
        case UInt8(ascii: "<"): throw error("< inside of a tag", offset)
        case UInt8(ascii: ">"):
            place = .text
            try close(element)
        default:
            tag.append(byte)
            quote = quote == 0 ? byte : 0
        }
    }

    private mutating func close(_ element: (borrowing XMLTag, Int) throws -> Void) throws {
        if tag.isEnd {
            guard elements.close(try tag.endName()) else {
                throw error("an end tag of another element", tag.offset)
            }
            return
        }
        try tag.parse()
        if elements.isEmpty {
            guard !hasRoot else { throw error("a second root", tag.offset) }
            hasRoot = true
        }
        try element(tag, elements.count)
        guard !tag.isEmptyElement else { return }
        elements.open(tag.name)
        guard elements.count <= Self.deepestElement else {
            throw error("elements are nested too deep", tag.offset)
        }
    }

    // MARK: All else

    private mutating func step(_ byte: UInt8) throws(StepFileError) {
        switch place {
        case .start: try begin(byte)
        case .lessThan:
            switch byte {
            case UInt8(ascii: "!"): place = .exclamation
            case UInt8(ascii: "?"): enter(.instruction)
            case UInt8(ascii: "<"), UInt8(ascii: ">"): throw error("a tag without a name", offset)
            default:
                tag.append(byte)
                (place, quote) = (.tag, 0)
            }
        case .exclamation:
            tag.append(byte)
            try declare()
        case .instruction, .typeInstruction:
            if byte == UInt8(ascii: ">"), matched == 1 { leave() }
            matched = byte == UInt8(ascii: "?") ? 1 : 0
        case .comment, .typeComment:
            if matched == 2 {
                guard byte == UInt8(ascii: ">") else { throw error("-- inside of a comment", offset) }
                leave()
            } else {
                matched = byte == UInt8(ascii: "-") ? matched + 1 : 0
            }
        case .characters:
            if byte == UInt8(ascii: ">"), matched == 2 { leave() }
            matched = byte == UInt8(ascii: "]") ? min(2, matched + 1) : 0
        case .documentType: typeStep(byte)
        case .text, .tag: break
        }
    }

    /// Reads the byte order mark, if there is one. The marks of other encodings are an error of their own.
    private mutating func begin(_ byte: UInt8) throws(StepFileError) {
        if byte == StepFile.mark[matched] {
            matched += 1
            if matched == StepFile.mark.count { enter(.text) }
            return
        }
        guard matched == 0 else { throw error("half a byte order mark", 0) }
        if byte == 0xFE || byte == 0xFF || byte == 0 { throw error("the file is not UTF-8", 0) }
        guard byte.isSpace || byte == UInt8(ascii: "<") else { throw error("text outside of the root", 0) }
        tag.start(at: 0)
        enter(byte == UInt8(ascii: "<") ? .lessThan : .text)
    }

    private mutating func declare() throws(StepFileError) {
        if tag.isExactly("--") {
            enter(.comment)
        } else if tag.isExactly("[CDATA[") {
            guard !elements.isEmpty else { throw error("text outside of the root", tag.offset) }
            enter(.characters)
        } else if tag.isExactly("DOCTYPE") {
            guard !hasRoot else { throw error("a document type after the root", tag.offset) }
            (isInSubset, quote, latest) = (false, 0, 0)
            enter(.documentType)
        } else if !["--", "[CDATA[", "DOCTYPE"].contains(where: tag.begins(_:)) {
            throw error("<! that begins nothing known", tag.offset)
        }
    }

    private mutating func typeStep(_ byte: UInt8) {
        latest = latest << 8 | UInt32(byte)
        if quote != 0 {
            if byte == quote { quote = 0 }
        } else if latest == 0x3C21_2D2D {
            enter(.typeComment)
        } else if latest & 0xFFFF == 0x3C3F {
            enter(.typeInstruction)
        } else {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: enter(.text)
            default: break
            }
        }
    }

    private mutating func enter(_ place: Place) { (self.place, matched) = (place, 0) }

    private mutating func leave() {
        switch place {
        case .typeComment, .typeInstruction:
            latest = 0
            enter(.documentType)
        default: enter(.text)
        }
    }
}

extension UInt8 {
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
