internal import PortcullisCore

/// A JSON object (RFC 8259). It is written byte by byte, because an encoder would leave copies of the secrets
/// in strings.
struct SecretBody {
    /// A member's value.
    enum Value {
        case secret(SecretBytes)
        case text(String)
        case number(Int)
        case flag(Bool)
    }

    private let members: [(name: StaticString, value: Value)]

    init(_ members: KeyValuePairs<StaticString, Value>) {
        self.members = members.map { (name: $0.key, value: $0.value) }
    }

    /// The text of the object.
    var text: SecretBytes {
        SecretBytes(capacity: capacity) { (output: inout OutputSpan<UInt8>) in write(to: &output) }
    }

    /// An upper bound of the text's size in bytes. Each byte of a value becomes at most six bytes (`\u001f`).
    private var capacity: Int {
        members.reduce(2) { sum, member in
            let size =
                switch member.value {
                case .secret(let secret): secret.count * 6
                case .text(let text): text.utf8.count * 6
                case .number, .flag: 20
                }
            return sum + member.name.utf8CodeUnitCount + size + 6
        }
    }

    private func write(to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append("\"\(member.name)\":", to: &output)
            switch member.value {
            case .number(let number): append(String(number), to: &output)
            case .flag(let flag): append(flag ? "true" : "false", to: &output)
            case .text(let text):
                output.append(UInt8(ascii: "\""))
                for byte in text.utf8 { escape(byte, to: &output) }
                output.append(UInt8(ascii: "\""))
            case .secret(let secret):
                output.append(UInt8(ascii: "\""))
                secret.withBytes { bytes in
                    for index in 0..<bytes.count { escape(bytes[index], to: &output) }
                }
                output.append(UInt8(ascii: "\""))
            }
        }
        output.append(UInt8(ascii: "}"))
    }

    private func append(_ text: String, to output: inout OutputSpan<UInt8>) {
        for byte in text.utf8 { output.append(byte) }
    }

    private func escape(_ byte: UInt8, to output: inout OutputSpan<UInt8>) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0..<0x20:
            append("\\u00", to: &output)
            let digits = Array("0123456789abcdef".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        default: output.append(byte)
        }
    }
}
