/// A line of what a contestant prints.
struct ResultLine {
    var measure: String
    /// The zone, or whatever else is varied.
    var zone = "-"
    /// One of the values that become one figure.
    var index: Int?
    /// Nanoseconds or bytes.
    var value: Double

    func write() {
        print(measure, zone, index.map(String.init) ?? "-", value, separator: "\t")
    }
}
