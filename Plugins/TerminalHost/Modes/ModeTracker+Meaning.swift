/// Updates the program's modes according to the sequences that the program sends.
extension ModeTracker {
    /// Applies a sequence of ESC and one character.
    mutating func finish(escape final: UInt8) {
        switch final {
        case UInt8(ascii: "="): modes.isKeypadApplication = true
        case UInt8(ascii: ">"): modes.isKeypadApplication = false
        case UInt8(ascii: "c"):
            let (titles, hasDrawing) = (modes.titles, modes.hasDrawing)
            modes = ProgramModes()
            modes.titles = titles
            modes.hasDrawing = hasDrawing
            didEndFocusReports = true
        default: break
        }
    }

    /// Applies a sequence of ESC, intermediate characters, and a final character.
    mutating func finish(escape final: UInt8, after intermediate: UInt8) {
        guard intermediate == UInt8(ascii: "%") else { return }
        switch final {
        case UInt8(ascii: "@"): modes.isWithoutUTF8 = true
        case UInt8(ascii: "G"), UInt8(ascii: "8"): modes.isWithoutUTF8 = false
        default: break
        }
    }

    /// Applies a whole CSI sequence.
    mutating func finish(_ sequence: ControlSequence, _ final: UInt8) {
        let numbers = sequence.numbers
        if sequence.isUnclear, "lrp".utf8.contains(final) { didEndFocusReports = true }
        switch (final, sequence.prefix, sequence.intermediate) {
        case (UInt8(ascii: "h"), UInt8(ascii: "?"), nil):
            for mode in numbers { modes.set(mode, true) }
            if numbers.contains(ProgramModes.tektronix) { modes.hasDrawing = true }
        case (UInt8(ascii: "l"), UInt8(ascii: "?"), nil):
            for mode in numbers {
                modes.set(mode, false)
                if mode == ProgramModes.focusReports { didEndFocusReports = true }
            }
        case (UInt8(ascii: "s"), UInt8(ascii: "?"), nil): modes.save(numbers)
        case (UInt8(ascii: "r"), UInt8(ascii: "?"), nil):
            modes.restore(numbers)
            if numbers.contains(ProgramModes.focusReports) { didEndFocusReports = true }
        case (UInt8(ascii: "h"), nil, nil): for mode in numbers { modes.setStandard(mode, true) }
        case (UInt8(ascii: "l"), nil, nil): for mode in numbers { modes.setStandard(mode, false) }
        case (UInt8(ascii: "r"), nil, nil): modes.margins.setRows(numbers)
        // This sequence sets column margins only while they are switched on (DECLRMM). While they are
        // switched off, it saves the cursor.
        case (UInt8(ascii: "s"), nil, nil) where modes.hasMarginsOfColumns: modes.margins.setColumns(numbers)
        case (UInt8(ascii: "u"), UInt8(ascii: ">"), nil): modes.keyboard.push(numbers[0])
        case (UInt8(ascii: "u"), UInt8(ascii: "<"), nil): modes.keyboard.pop(max(1, numbers[0]))
        case (UInt8(ascii: "u"), UInt8(ascii: "="), nil):
            modes.keyboard.set(numbers[0], numbers.count > 1 ? numbers[1] : 1)
        case (UInt8(ascii: "m"), UInt8(ascii: ">"), nil):
            if numbers[0] == 4 { modes.modifyOtherKeys = numbers.count > 1 ? numbers[1] : 0 }
        case (UInt8(ascii: "t"), nil, nil) where numbers[0] == 22: modes.titles.push()
        case (UInt8(ascii: "t"), nil, nil) where numbers[0] == 23:
            modes.titles.pop(numbers.count > 1 ? numbers[1] : 0)
        case (UInt8(ascii: "t"), UInt8(ascii: ">"), nil): modes.titles.setModes(numbers, true)
        case (UInt8(ascii: "T"), UInt8(ascii: ">"), nil): modes.titles.setModes(numbers, false)
        case (UInt8(ascii: "p"), nil, UInt8(ascii: "!")):
            // A soft reset affects the cursor, the margins, wrapping, the cursor keys, the keypad and insert
            // mode. In some terminals it also affects further modes, perhaps the focus reports.
            didEndFocusReports = true
            for (mode, atFirst) in [1: false, 6: false, 7: true, 25: true, 69: false] {
                modes.set(mode, atFirst)
            }
            modes.margins = ProgramMargins()
            modes.isKeypadApplication = false
            modes.setStandard(4, false)
        default: break
        }
    }
}
