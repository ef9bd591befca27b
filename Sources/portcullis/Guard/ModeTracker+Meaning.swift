/// What the sequences mean that a program sends.
extension ModeTracker {
    /// ESC and one character.
    mutating func finish(escape final: UInt8) {
        switch final {
        case UInt8(ascii: "="): modes.isKeypadApplication = true
        case UInt8(ascii: ">"): modes.isKeypadApplication = false
        case UInt8(ascii: "c"):
            let titles = modes.titles
            modes = ProgramModes()
            modes.titles = titles
            didEndFocusReports = true
        default: break
        }
    }

    /// A whole CSI sequence.
    mutating func finish(_ sequence: ControlSequence, _ final: UInt8) {
        let numbers = sequence.numbers
        switch (final, sequence.prefix, sequence.intermediate) {
        case (UInt8(ascii: "h"), UInt8(ascii: "?"), nil): for mode in numbers { modes.set(mode, true) }
        case (UInt8(ascii: "l"), UInt8(ascii: "?"), nil):
            for mode in numbers {
                modes.set(mode, false)
                if mode == ProgramModes.focusReports { didEndFocusReports = true }
            }
        case (UInt8(ascii: "s"), UInt8(ascii: "?"), nil): modes.save(numbers)
        case (UInt8(ascii: "r"), UInt8(ascii: "?"), nil):
            modes.restore(numbers)
            if numbers.contains(ProgramModes.focusReports) { didEndFocusReports = true }
        case (UInt8(ascii: "h"), nil, nil): if numbers.contains(4) { modes.isInserting = true }
        case (UInt8(ascii: "l"), nil, nil): if numbers.contains(4) { modes.isInserting = false }
        case (UInt8(ascii: "u"), UInt8(ascii: ">"), nil): modes.pushKeyboard(numbers[0])
        case (UInt8(ascii: "u"), UInt8(ascii: "<"), nil): modes.popKeyboard(max(1, numbers[0]))
        case (UInt8(ascii: "m"), UInt8(ascii: ">"), nil):
            if numbers[0] == 4 { modes.modifyOtherKeys = numbers.count > 1 ? numbers[1] : 0 }
        case (UInt8(ascii: "t"), nil, nil) where numbers[0] == 22: modes.titles.push()
        case (UInt8(ascii: "t"), nil, nil) where numbers[0] == 23:
            modes.titles.pop(numbers.count > 1 ? numbers[1] : 0)
        case (UInt8(ascii: "p"), nil, UInt8(ascii: "!")):
            // A soft reset touches the cursor, its keys, the keypad and inserting; in some terminals the rest, too.
            didEndFocusReports = true
            for (mode, atFirst) in [1: false, 6: false, 7: true, 25: true] { modes.set(mode, atFirst) }
            modes.isKeypadApplication = false
            modes.isInserting = false
        default: break
        }
    }
}
