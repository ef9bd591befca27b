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
    ///
    /// Each variable ends with a zero. Variables are bytes: they need not be UTF-8, and two names that differ
    /// only in their Unicode normal form are two names.
    static func current(with others: [String: String]) -> [[CChar]] {
        let replaced = others.keys.map { "\($0)=".utf8CString.dropLast() }
        var all: [[CChar]] = []
        var next = unsafe environ
        while let start = unsafe next.pointee {
            let variable = unsafe Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
            if !replaced.contains(where: { variable.starts(with: $0) }) { all.append(variable) }
            unsafe next += 1
        }
        return all + others.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8CString) }
    }
}
