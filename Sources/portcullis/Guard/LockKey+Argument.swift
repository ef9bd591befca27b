public import ArgumentParser
public import TerminalHost

extension LockKey: ExpressibleByArgument {
    /// Reads `ctrl-]`, `C-]` or `^]`.
    public init?(argument: String) { self.init(argument) }

    /// As it is read.
    public var defaultValueDescription: String { description }
}
