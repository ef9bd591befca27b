#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The variables of an environment: of one that was given, or of this process.
struct ProcessVariables: Sendable {
    private let given: [String: String]?

    /// - Parameter given: `nil`: this process's, as they are when they are asked for.
    init(_ given: [String: String]?) { self.given = given }

    /// A variable; empty where there is none.
    subscript(name: String) -> String {
        if let given { return given[name] ?? "" }
        return unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }

    /// This process's variables in the form `NAME=value`, with others in place of those of the same names, or beside them.
    static func current(with others: [String: String]) -> [String] {
        var all: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe all.append(String(cString: variable))
            unsafe next += 1
        }
        all.removeAll { variable in
            others.keys.contains { variable.hasPrefix("\($0)=") }
        }
        return all + others.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }
}
