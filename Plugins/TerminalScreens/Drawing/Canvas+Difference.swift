extension Canvas {
    /// Returns the output that changes the picture of a terminal from `previous` to this canvas.
    ///
    /// Without a difference the output is empty. Otherwise the output begins and ends with the sequences of a
    /// synchronized update (mode 2026). Terminals that support the mode show the whole change at once, and
    /// other terminals ignore the sequences. After the output the plain style is selected, and the cursor's
    /// position is undefined.
    ///
    /// - Parameters:
    ///   - previous: the canvas that the terminal shows. With `nil`, or a canvas of another size, the output
    ///     first clears the terminal.
    ///   - colours: whether colours may be used.
    public func update(from previous: Canvas?, colours: Bool) -> [UInt8] {
        var output = ""
        let shown: Canvas
        if let previous, previous.size == size {
            shown = previous
        } else {
            output += "\u{1B}[0m\u{1B}[H\u{1B}[2J"
            shown = Canvas(size: size)
        }
        var style: CellStyle?
        for y in 0..<size.rows {
            // The cursor's column in this row; `nil` when it is not known.
            var cursor: Int?
            var x = 0
            while x < size.columns {
                let width = x + 1 < size.columns && self[x: x + 1, y: y].character == nil ? 2 : 1
                defer { x += width }
                guard isStale(x, y, width, shown), let character = self[x: x, y: y].character else {
                    continue
                }
                if cursor != x { output += "\u{1B}[\(y + 1);\(x + 1)H" }
                let wanted = self[x: x, y: y].style
                if wanted != style {
                    output += wanted.select(colours: colours)
                    style = wanted
                }
                output.append(character)
                // After the last column, and after a wide or composed character, the cursor's place depends
                // on the terminal. In these cases the column counts as unknown.
                let isSure = width == 1 && character.unicodeScalars.count == 1 && x + 1 < size.columns
                cursor = isSure ? x + 1 : nil
            }
        }
        guard !output.isEmpty else { return [] }
        return Array("\u{1B}[?2026h\(output)\u{1B}[0m\u{1B}[?2026l".utf8)
    }

    /// Whether a character must be written. When a wide character is replaced, both of its cells differ, so
    /// both are written. Some terminals blank the second cell themselves. On these terminals the second
    /// writing does no harm.
    private func isStale(_ x: Int, _ y: Int, _ width: Int, _ shown: Canvas) -> Bool {
        (x..<x + width).contains { self[x: $0, y: y] != shown[x: $0, y: y] }
    }
}
