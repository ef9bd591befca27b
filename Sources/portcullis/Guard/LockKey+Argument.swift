public import ArgumentParser
public import TerminalHost

extension LockKey: ExpressibleByArgument {
    /// Parses `ctrl-]`, `C-]` or `^]`.
    public init?(argument: String) { self.init(argument) }

    /// The key in the form that the parser reads.
    public var defaultValueDescription: String { description }
}
