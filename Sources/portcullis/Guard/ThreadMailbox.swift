internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Commands for a thread that waits in `poll(2)`: posting one wakes it.
final class ThreadMailbox<Command: Sendable>: Sendable {
    /// Becomes readable when there is a command.
    let wakeDescriptor: Int32
    private let writeEnd: Int32
    private let commands = Mutex<[Command]>([])

    /// - Throws: when the process has no descriptor left.
    init() throws(GuardFailure) {
        guard let pipe = Descriptors.makePipe() else { throw GuardFailure("cannot open a pipe", errno) }
        (wakeDescriptor, writeEnd) = pipe
    }

    deinit {
        close(wakeDescriptor)
        close(writeEnd)
    }

    func post(_ command: Command) {
        commands.withLock { commands in
            commands.append(command)
            // One byte for as long as there are commands; under the lock, so that it is never left behind.
            if commands.count == 1 { Descriptors.write([1], to: writeEnd) }
        }
    }

    /// All that was posted since, in order; empty when nothing was.
    func take() -> [Command] {
        commands.withLock { commands in
            guard !commands.isEmpty else { return [] }
            var byte: UInt8 = 0
            _ = unsafe read(wakeDescriptor, &byte, 1)
            defer { commands = [] }
            return commands
        }
    }
}
