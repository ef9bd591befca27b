/// A source file with faults in it, each of which an environment variable switches on.
public enum MutatedSource {
    /// The variable that holds the number of the fault that is switched on.
    public static let variable = "PORTCULLIS_FAULT"

    /// The file with the faults in it.
    ///
    /// - Parameters:
    ///   - source: the file's text.
    ///   - faults: faults of this file that do not touch one another.
    public static func text(_ source: String, with faults: [(number: Int, fault: Fault)]) -> String {
        let bytes = Array(source.utf8)
        var result: [UInt8] = []
        var copied = 0
        for (number, fault) in faults.sorted(by: { $0.fault.range.lowerBound < $1.fault.range.lowerBound }) {
            func filled(_ text: String) -> [UInt8] {
                Array(text.replacing(Fault.isOn, with: "faultIsOn(\(number))").utf8)
            }
            result += bytes[copied..<fault.range.lowerBound]
            result += filled(fault.opening)
            result += bytes[fault.range]
            result += filled(fault.closing)
            copied = fault.range.upperBound
        }
        result += bytes[copied...]
        return String(decoding: result, as: UTF8.self)
    }

    /// The file that each module with faults gets: it answers which fault is switched on.
    public static let accessor = """
        #if canImport(Glibc)
        internal import Glibc
        #elseif canImport(Musl)
        internal import Musl
        #else
        internal import Darwin
        #endif

        private let faultThatIsOn: Int = unsafe getenv("\(variable)").flatMap { unsafe Int(String(cString: $0)) } ?? 0

        @inline(never)
        nonisolated func faultIsOn(_ number: Int) -> Bool { faultThatIsOn == number }

        """
}
