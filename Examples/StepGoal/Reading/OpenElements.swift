/// The names of the elements that are open, the outermost first, in one buffer.
struct OpenElements {
    private var names: [UInt8] = []
    private var starts: [Int] = []

    var count: Int { starts.count }
    var isEmpty: Bool { starts.isEmpty }

    mutating func open(_ name: ArraySlice<UInt8>) {
        starts.append(names.count)
        names += name
    }

    /// - Returns: `false` if the innermost element has another name.
    mutating func close(_ name: ArraySlice<UInt8>) -> Bool {
        guard let start = starts.last, names[start...] == name else { return false }
        starts.removeLast()
        names.removeSubrange(start...)
        return true
    }
}
