#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The variables of a given environment or of this process.
struct ProcessVariables: Sendable {
    private let given: [String: String]?

    /// - Parameter given: the variables; `nil` for those of this process at the time of each access.
    init(_ given: [String: String]?) { self.given = given }

    /// The value of a variable; empty when the variable is not set.
    subscript(name: String) -> String {
        if let given { return given[name] ?? "" }
        return unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }

    /// This process's variables in the form `NAME=value`, together with `others`. A variable of `others`
    /// replaces the process's variable of the same name.
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
