internal import PortcullisCore

/// Encodes a message to or from the agent. Values stay in protected memory. Names and numbers are not secret.
struct AgentWriter {
    private var pieces: [SecretBytes] = []
    private var plain: [UInt8] = []

    mutating func byte(_ byte: UInt8) { plain.append(byte) }

    mutating func number(_ number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            plain.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func text(_ text: String) {
        number(UInt32(clamping: text.utf8.count))
        plain += text.utf8
    }

    mutating func name(_ name: SecretName) {
        text(name.namespace.rawValue)
        text(name.name)
    }

    mutating func secret(_ secret: SecretBytes) {
        number(UInt32(clamping: secret.count))
        pieces += [SecretBytes(copying: plain), secret]
        plain = []
    }

    /// Writes a version, or a mark that there is no version.
    mutating func version(_ version: SecretVersion?) {
        byte(version == nil ? 0 : 1)
        number(version?.rawValue ?? 0)
    }

    mutating func change(_ change: SecretChange) {
        name(change.name)
        switch change.precondition {
        case .none: byte(0)
        case .absent: byte(1)
        case .version(let version):
            byte(2)
            number(version.rawValue)
        }
        switch change {
        case .remove: byte(0)
        case .write(let value, _, let accessibility, _):
            byte(accessibility.agentByte)
            secret(value)
        }
    }

    /// The whole message, with its length in front.
    var message: SecretBytes {
        let body = pieces + [SecretBytes(copying: plain)]
        var length = AgentWriter()
        length.number(UInt32(clamping: body.reduce(0) { $0 + $1.count }))
        return SecretBytes(joining: [SecretBytes(copying: length.plain)] + body)
    }
}

/// Decodes a message to or from the agent. Each method returns `nil` if the next part of the message does not
/// have the form that the method reads.
struct AgentReader {
    private let bytes: SecretBytes
    private var place = 0

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    private mutating func take(_ count: Int) -> Range<Int>? {
        guard count >= 0, count <= bytes.count - place else { return nil }
        defer { place += count }
        return place..<place + count
    }

    mutating func byte() -> UInt8? { number(UInt8.self) }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        guard let range = take(Number.bitWidth / 8) else { return nil }
        return bytes.withBytes { span in
            range.reversed().reduce(Number(0)) { $0 << 8 | Number(truncatingIfNeeded: span[$1]) }
        }
    }

    mutating func secret() -> SecretBytes? {
        guard let count = number(UInt32.self), let range = take(Int(count)) else { return nil }
        return bytes.part(range)
    }

    mutating func text() -> String? {
        guard let count = number(UInt32.self), count <= 8192, let range = take(Int(count)) else { return nil }
        return bytes.withBytes { span in String(validating: range.map { span[$0] }, as: UTF8.self) }
    }

    mutating func name() -> SecretName? {
        guard let namespace = text(), let name = text(), let space = try? SecretNamespace(namespace) else {
            return nil
        }
        return try? SecretName(name, in: space)
    }

    /// Reads a version, or a mark that there is no version. Returns `nil` if the message has too few bytes
    /// left.
    mutating func version() -> SecretVersion?? {
        guard let isThere = byte(), let number = number(UInt64.self) else { return nil }
        return .some(isThere == 0 ? nil : SecretVersion(number))
    }

    mutating func change() -> SecretChange? {
        guard let name = name() else { return nil }
        let precondition: WritePrecondition
        switch byte() {
        case 0: precondition = .none
        case 1: precondition = .absent
        case 2:
            guard let version = number(UInt64.self) else { return nil }
            precondition = .version(SecretVersion(version))
        default: return nil
        }
        guard let kind = byte() else { return nil }
        if kind == 0 { return .remove(name, if: precondition) }
        guard let accessibility = Accessibility(agentByte: kind), let value = secret() else { return nil }
        return .write(value, to: name, accessibility: accessibility, if: precondition)
    }
}
