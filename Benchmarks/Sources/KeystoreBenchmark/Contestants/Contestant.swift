/// What keeps values of 256 bytes under names, durably.
protocol Contestant {
    associatedtype Name

    /// Puts items 0 ..< `count` there before anything is timed.
    func fill(_ count: Int) async throws
    /// Gives an item another value, and is back when that is on disk.
    func put(_ index: Int, _ value: [UInt8]) async throws
    /// The name of an item, as the contestant takes it.
    func name(_ index: Int) -> Name
    /// Reads an item.
    func get(_ name: Name) async throws
    /// Gives files back.
    func close() async throws
}

/// Something did not work that had to for a figure to mean anything.
struct MeasuringFailed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The items of all contestants.
enum Items {
    static let valueSize = 256

    /// Names of as many characters as the prefix has and six.
    static func names(_ count: Int, prefix: String = "item-") -> [String] {
        (0..<count).map { prefix + String($0 + 1_000_000).dropFirst() }
    }

    /// A value nobody can compress, and that differs each time.
    static func value(_ size: Int = valueSize) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < size { unsafe withUnsafeBytes(of: generator.next()) { unsafe bytes += $0 } }
        return Array(bytes.prefix(size))
    }
}
