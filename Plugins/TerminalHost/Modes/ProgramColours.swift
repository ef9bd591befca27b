/// The colours that a program has set on the terminal. A covering screen resets them, so that its own text is
/// readable. When the covering screen is removed, the program's colours are set again.
struct ProgramColours: Sendable, Hashable {
    /// The greatest length of a colour's name. Real names are shorter.
    private static let longest = 64
    private static let palette = 0..<256

    /// The colours by their number in the palette (OSC 4).
    private var entries: [Int: String] = [:]
    /// The colour of text (OSC 10).
    private var text: String?
    /// The background colour (OSC 11).
    private var ground: String?

    /// Creates the colours of a program that has set no colours.
    init() {}

    /// Applies the content of an OSC sequence.
    mutating func take(command: [UInt8]) {
        let parts = command.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let first = parts.first.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }) else { return }
        let rest = parts.dropFirst()
        switch first {
        case 4:
            var pairs = rest
            while let number = pairs.popFirst(), let colour = pairs.popFirst() {
                guard let number = Int(String(decoding: number, as: UTF8.self)),
                    Self.palette.contains(number),
                    let colour = Self.colour(colour)
                else { continue }
                entries[number] = colour
            }
        case 10:
            if let colour = rest.first.flatMap(Self.colour) { text = colour }
            // If OSC 10 has two colours, the second one is that of OSC 11: the background.
            if let colour = rest.dropFirst().first.flatMap(Self.colour) { ground = colour }
        case 11: if let colour = rest.first.flatMap(Self.colour) { ground = colour }
        case 104:
            let numbers = rest.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            if numbers.isEmpty { entries = [:] } else { for number in numbers { entries[number] = nil } }
        case 110: text = nil
        case 111: ground = nil
        default: break
        }
    }

    /// The sequences that set the program's colours again; empty when the program has set none.
    var putBack: String {
        var all = ""
        for (number, colour) in entries.sorted(by: { $0.key < $1.key }) {
            all += "\u{1B}]4;\(number);\(colour)\u{1B}\\"
        }
        if let text { all += "\u{1B}]10;\(text)\u{1B}\\" }
        if let ground { all += "\u{1B}]11;\(ground)\u{1B}\\" }
        return all
    }

    /// Returns a colour's name; `nil` for a query and for an invalid name.
    private static func colour(_ bytes: ArraySlice<UInt8>) -> String? {
        guard (1...longest).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7F).contains($0) }),
            !bytes.elementsEqual("?".utf8)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
