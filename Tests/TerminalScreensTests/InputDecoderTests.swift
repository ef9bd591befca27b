import TerminalScreens
import Testing

@Suite("InputDecoder (P-31)", .timeLimit(.minutes(5)))
struct InputDecoderTests {
    private func decode(_ chunks: [[UInt8]], flush: Bool = true) -> [TerminalEvent] {
        var decoder = InputDecoder()
        var events: [TerminalEvent] = []
        for chunk in chunks {
            decoder.decode(chunk.span) { event, _ in events.append(event) }
        }
        if flush, let last = decoder.flush() { events.append(last) }
        return events.filter { $0 != .ignored }
    }

    private func decode(_ text: String) -> [TerminalEvent] { decode([Array(text.utf8)]) }

    @Test("P-31: keys of every kind")
    func keys() {
        #expect(decode("12") == [.character("1"), .character("2")])
        #expect(decode("é漢") == [.character("é"), .character("漢")])
        #expect(decode("\r\t\u{8}\u{7F}") == [.key(.enter), .key(.tab), .key(.delete), .key(.delete)])
        #expect(
            decode("\u{1B}[A\u{1B}OB\u{1B}[1;2C\u{1B}[Z") == [
                .key(.up), .key(.down), .key(.right), .key(.backTab),
            ]
        )
        #expect(decode("\u{1B}[3~") == [.key(.delete)])
        #expect(decode("\u{3}\u{1D}") == [.control("c"), .control("]")])
        #expect(decode("\u{1B}Oq\u{1B}OM") == [.character("1"), .key(.enter)])
    }

    @Test("A-23: pages, beginning and end, in the ways in which terminals send them")
    func pages() {
        #expect(decode("\u{1B}[5~\u{1B}[6~\u{1B}[6;2~") == [.key(.pageUp), .key(.pageDown), .key(.pageDown)])
        #expect(decode("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[7~") == Array(repeating: .key(.home), count: 4))
        #expect(decode("\u{1B}[F\u{1B}OF\u{1B}[4~\u{1B}[8~") == Array(repeating: .key(.end), count: 4))
        #expect(decode("\u{1B}[2~\u{1B}[15~").isEmpty, "keys that mean nothing here")
    }

    @Test("P-31: it says how long to wait for the rest of what began, and what becomes of it")
    func patience() {
        func begun(_ text: String) -> InputDecoder {
            var decoder = InputDecoder()
            decoder.decode(Array(text.utf8).span) { _, _ in }
            return decoder
        }
        #expect(begun("a").patience == nil)
        var escape = begun("\u{1B}")
        #expect(escape.patience != nil)
        #expect(escape.giveUp() == .key(.escape) && escape.patience == nil)
        var reply = begun("\u{1B}]11;rgb")
        #expect(reply.patience.map { $0 >= .milliseconds(500) } == true)
        #expect(reply.giveUp() == nil && reply.pending == .nothing)
    }

    @Test("P-31: a lone Esc is a key once nothing follows; before something else it is not")
    func escape() {
        #expect(decode([[0x1B]], flush: false).isEmpty)
        #expect(decode([[0x1B]]) == [.key(.escape)])
        #expect(decode("\u{1B}\u{1B}") == [.key(.escape), .key(.escape)])
        #expect(decode("\u{1B}5").isEmpty, "Alt with a digit is no digit")
    }

    @Test("P-31: the kitty protocol and modifyOtherKeys")
    func protocols() {
        #expect(decode("\u{1B}[49u\u{1B}[13u\u{1B}[27u") == [.character("1"), .key(.enter), .key(.escape)])
        #expect(decode("\u{1B}[93;5u\u{1B}[27;5;93~") == [.control("]"), .control("]")])
        #expect(decode("\u{1B}[49;1:3u").isEmpty, "a key that is let go")
        #expect(decode("\u{1B}[9;2u\u{1B}[57400u") == [.key(.backTab), .character("1")])
    }

    private static let controls: [(keys: [String], held: Unicode.Scalar)] = [
        (["108;5u", "76;5u", "108:76;6u", "108;69u", "27;5;76~", "27;6;76~", "27;5;108~"], "l"),
        (["32;5u", "50;6u", "50:64;6u", "27;6;64~", "27;5;32~", "50;5u"], "@"),
        (["54;6u", "54:94;6u", "27;6;94~", "94;5u", "54;5u"], "^"),
        (["45;6u", "45:95;6u", "27;6;95~", "27;5;55~", "47;5u", "27;5;47~"], "_"),
        // The last two on a French keyboard, where digits take Shift.
        (["93;5u", "93:125;6u", "27;5;93~", "53;5u", "27;5;53~", "40:53;6u", "27;6;53~"], "]"),
        (["92;5u", "52;5u"], "\\"),
        // Another layout, on which it stands elsewhere.
        (["55:47;6u"], "7"), (["54:38;6u"], "6"), (["53;6u", "53:37;6u"], "5"), (["57;5u"], "9"),
    ]

    @Test("P-24: a key held with Ctrl counts as its byte would: with Caps Lock, with Shift, and as Space")
    func controlKeys() {
        for (keys, held) in Self.controls {
            for key in keys { #expect(decode("\u{1B}[\(key)") == [.control(held)], "\(key)") }
        }
        #expect(decode("\u{1B}[51;5u\u{1B}[56;5u") == [.key(.escape), .key(.delete)])
    }

    @Test("P-24: with Alt held as well the key that counts behind ESC counts in every protocol, and no other")
    func controlAndAlt() {
        for keys in ["\u{1D}", "[93;7u", "[53;7u", "[27;7;93~", "[1098::93;7u"] {
            var decoder = InputDecoder(breaking: 0x1D)
            var events: [TerminalEvent] = []
            decoder.decode(Array("\u{1B}\(keys)".utf8).span) { event, _ in events.append(event) }
            #expect(events == [.control("]")], "\(keys)")
        }
        #expect(decode("\u{1B}[93;7u").isEmpty, "nothing counts there")
        var decoder = InputDecoder(breaking: 0x1D)
        for keys in ["[92;7u", "[93;3u", "[13;7u", "[51;7u", "[93;15u"] {
            decoder.decode(Array("\u{1B}\(keys)".utf8).span) { event, _ in
                #expect(event == .ignored, "\(keys)")
            }
        }
    }

    @Test("P-31: Ctrl counts by the key, whatever letter of another script stands on it")
    func otherScripts() {
        #expect(decode("\u{1B}[1098::93;5u\u{1B}[1098:1066:93;5:1u") == [.control("]"), .control("]")])
        #expect(
            decode("\u{1B}[1098;5u\u{1B}[27;5;1098~\u{1B}[1111;5u")
                == Array(repeating: .control("]"), count: 3)
        )
        #expect(decode("\u{1B}[1583;5u\u{1B}[1605;5u") == [.control("]"), .control("l")], "Arabic")
        #expect(decode("\u{1B}[955;5u\u{1B}[962;5u") == [.control("l"), .control("w")], "Greek")
        #expect(decode("\u{1B}[1098::93;5:3u").isEmpty, "a key that is let go")
        #expect(decode("\u{1B}[1098::;5u") == [.control("]")], "a key that is not told")
        #expect(decode("\u{1B}[43::93;5u") == [.control("+")], "a Latin layout's own character")
        #expect(decode("\u{1B}[20320;5u").isEmpty, "no key's letter")
        #expect(decode("\u{1B}[1098::93u") == [.character("ъ")])
    }

    @Test("P-31: numbers of any length, and reports that no terminal sends, are no keys")
    func senseless() {
        let long = String(repeating: "9", count: 20)
        #expect(decode("\u{1B}[\(long)u\u{1B}[\(long);5u\u{1B}[\(long)~\u{1B}[<\(long);5;7M").isEmpty)
        #expect(decode("\u{1B}[<0;0;7M\u{1B}[<0;5;0M").isEmpty, "the first column is 1")
        #expect(decode("\u{1B}[<0;5;7;9M\u{1B}[<0;5M").isEmpty)
    }

    @Test("P-31: mouse and focus")
    func reports() {
        #expect(decode("\u{1B}[<0;5;7M\u{1B}[<0;5;7m") == [.press(button: 0, x: 4, y: 6)])
        #expect(decode("\u{1B}[<64;5;7M\u{1B}[<35;5;7M").isEmpty, "wheel and motion")
        #expect(decode("\u{1B}[M 111").contains(.character("1")))
        #expect(decode("\u{1B}[M!!!").isEmpty)
        #expect(decode("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
    }

    @Test("P-31: a terminal's replies are never digits")
    func replies() {
        let replies = [
            "\u{1B}[?62;22;1c", "\u{1B}[>41;366;0c", "\u{1B}[12;40R", "\u{1B}[?1u", "\u{1B}[0n",
            "\u{1B}]11;rgb:1111/2222/3333\u{1B}\\", "\u{1B}]52;c;MTIzNDU2\u{7}",
            "\u{1B}P1+r5463=3132\u{1B}\\",
            "\u{1B}[?2026;2$y", "\u{1B}[8;24;80t", "\u{1B}_Gi=31;OK\u{1B}\\",
        ]
        for reply in replies { #expect(decode(reply).isEmpty, "\(reply.dropFirst())") }
        #expect(decode(replies.joined() + "7") == [.character("7")])
    }

    private static let eightBit: [(sequence: String, event: TerminalEvent?)] = [
        ("[93;5u", .control("]")), ("[27;5;93~", .control("]")), ("[O", .focus(false)), ("[I", .focus(true)),
        ("[<0;5;7M", .press(button: 0, x: 4, y: 6)), ("[?62;22;1c", nil), ("[34;1;1&w", nil),
        ("]11;rgb:1111/2222/3333\u{7}", nil), ("P1+r5463=3132", nil), ("Oq", .character("1")),
        ("_Gi=31", nil), ("^12", nil), ("X12", nil), ("]l12", nil),
    ]

    @Test("P-31: replies in eight bits are those in seven, as one byte and in UTF-8")
    func eightBit() {
        for (sequence, event) in Self.eightBit {
            let control = sequence.utf8.first! + 0x40
            let rest = Array(sequence.utf8.dropFirst())
            let isString = "]P_^X".utf8.contains(sequence.utf8.first!) && rest.last != 7
            for (introducer, end) in [([control], [0x9C]), ([0xC2, control], [0xC2, 0x9C])]
                as [([UInt8], [UInt8])]
            {
                let bytes = introducer + rest + (isString ? end : [])
                #expect(
                    decode([bytes + [0x37]]) == [event, .character("7")].compactMap(\.self),
                    "\(sequence)"
                )
                #expect(decode((bytes + [0x37]).map { [$0] }) == decode([bytes + [0x37]]))
            }
        }
    }

    @Test("P-31: a byte within a character of a reply does not end it")
    func replyInUTF8() {
        #expect(decode("\u{1B}]l\u{271C}12\u{1B}\\7") == [.character("7")])
    }

    @Test("P-24: a sequence that begins before a reply has ended breaks the reply off")
    func replyWithoutEnd() {
        for start in ["]", "P", "X", "^", "_", "]11;rgb:0"] {
            #expect(decode("\u{1B}\(start)\u{1B}[O") == [.focus(false)], "\(start)")
            #expect(decode("\u{1B}\(start)\u{1B}[93;5u7") == [.control("]"), .character("7")], "\(start)")
            #expect(decode("\u{1B}\(start)\u{1B}\u{1B}\\7") == [.character("7")], "\(start)")
        }
    }

    @Test("P-31: a VT52's identification is a reply, and a control behind what looks like one is a key")
    func identification() {
        #expect(decode("\u{1B}/Z7") == [.character("7")])
        #expect(decode([[0x1B], [0x2F], [0x5A], [0x37]]) == [.character("7")])
        for start in ["\u{1B}/", "\u{1B}O", "\u{1B}[M", "\u{1B}[", "\u{8F}"] {
            #expect(decode(start + "\u{1D}") == [.control("]")], "\(start.dropFirst())")
        }
    }

    @Test("P-31: what a key types counts, where the kitty protocol tells it")
    func associatedText() {
        #expect(
            decode("\u{1B}[56;;56u\u{1B}[233;2;50u\u{1B}[233:50;2u") == [
                .character("8"), .character("2"), .character("2"),
            ]
        )
        #expect(decode("\u{1B}[93;5;93u") == [.control("]")], "Ctrl makes it no text")
        #expect(decode("\u{1B}[97;1:3;97u").isEmpty, "a key that is let go")
        #expect(decode("\u{1B}[97;3;97u").isEmpty, "Alt")
    }

    @Test("P-31: the keys of the Windows console")
    func windowsKeys() {
        #expect(decode("\u{1B}[221;27;29;1;8;1_\u{1B}[221;27;29;0;8;1_") == [.control("]")])
        #expect(
            decode("\u{1B}[49;2;49;1;0;1_\u{1B}[13;28;13;1;0;1_\u{1B}[8;14;8;1;0;1_") == [
                .character("1"), .key(.enter), .key(.delete),
            ]
        )
        #expect(
            decode("\u{1B}[17;29;0;1;8;1_\u{1B}[49;2;49;1;2;1_").isEmpty,
            "Ctrl by itself, and Alt with a digit"
        )
    }

    @Test("P-31: a paste is told apart from typing")
    func paste() {
        #expect(
            decode("\u{1B}[200~12\n\u{1B}[A\u{1B}[201~3") == [.pasted("1"), .pasted("2"), .character("3")]
        )
        var decoder = InputDecoder()
        decoder.decode(Array("\u{1B}[200~12".utf8).span) { _, _ in }
        #expect(decoder.pending == .paste)
        decoder.abandon()
        var events: [TerminalEvent] = []
        decoder.decode([0x33].span) { event, _ in events.append(event) }
        #expect(events == [.character("3")], "a paste without an end does not lock the keyboard")
    }

    @Test("P-31: however the bytes are cut, the events are the same", arguments: 0..<200)
    func splits(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let pieces = [
            "1", "x", "é", "漢", "👍", "\r", "\u{7F}", "\u{1B}", "\u{1B}[A", "\u{1B}OP", "\u{1B}[<0;10;3M",
            "\u{1B}[I",
            "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[?62;1c", "\u{1B}]0;t\u{7}", "\u{1B}P1\u{1B}\\",
            "\u{1B}[M abc", "[",
            "\u{1B}[49;5u", "\u{9B}", "\u{18}",
        ]
        var bytes: [UInt8] = []
        for _ in 0..<40 { bytes += Array((pieces.randomElement(using: &random) ?? "").utf8) }
        // And some that are not UTF-8.
        for _ in 0..<4 {
            bytes.insert(UInt8(random.next() % 256), at: Int(random.next() % UInt64(bytes.count)))
        }
        var chunks: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let length = 1 + Int(random.next() % 5)
            chunks.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        #expect(decode(chunks) == decode([bytes]))
        #expect(decode(bytes.map { [$0] }) == decode([bytes]))
    }

    @Test("P-31: a control byte of choice breaks a reply off")
    func breaking() {
        var decoder = InputDecoder(breaking: 0x1D)
        var events: [TerminalEvent] = []
        decoder.decode([0x1B, UInt8(ascii: "]"), 0x1C, 0x1D, 0x31].span) { event, _ in events.append(event) }
        #expect(events == [.control("]"), .character("1")])
    }

    @Test("P-31: CAN and SUB as the byte of choice break a reply off as a key, and BEL ends a reply as ever")
    func breakingAsEnd() {
        for (byte, key) in [(UInt8(0x18), "x" as Unicode.Scalar), (0x1A, "z")] {
            var decoder = InputDecoder(breaking: byte)
            var events: [TerminalEvent] = []
            decoder.decode([0x1B, UInt8(ascii: "]"), 0x31, byte, 0x31].span) { event, _ in
                events.append(event)
            }
            #expect(events == [.control(key), .character("1")])
        }
        var decoder = InputDecoder(breaking: 0x07)
        var events: [TerminalEvent] = []
        decoder.decode(Array("\u{1B}]11;rgb:0/0/0\u{07}\u{07}".utf8).span) { event, _ in
            events.append(event)
        }
        #expect(events == [.ignored, .control("g")])
    }

    @Test("P-24: a control byte of choice counts right behind ESC, and nothing before it is left")
    func breakingBehindEscape() {
        var decoder = InputDecoder(breaking: 0x1D)
        var events: [TerminalEvent] = []
        decoder.decode([0x1B, 0x1D, 0x31].span) { event, _ in events.append(event) }
        #expect(events == [.control("]"), .character("1")])
    }

    @Test("P-31: each event tells where in the chunk it ended")
    func used() {
        var decoder = InputDecoder()
        var ends: [Int] = []
        decoder.decode(Array("a\u{1B}[Ab\u{1B}".utf8).span) { _, used in ends.append(used) }
        #expect(ends == [1, 4, 5])
        #expect(decoder.pending == .escape)
    }
}
