public import ArgumentParser
public import TerminalHost

extension LockKey: ExpressibleByArgument {
    /// Makes a key from a text such as `ctrl-]`, `C-]` or `^]`; `nil` if the text names no allowed key.
    public init?(argument: String) { self.init(argument) }

    /// The key in the form that the parser reads.
    public var defaultValueDescription: String { description }
}
