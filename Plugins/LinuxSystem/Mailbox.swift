internal import Synchronization

/// Commands for a thread that waits on descriptors: posting one wakes it.
package final class Mailbox<Command: Sendable>: Sendable {
    private let wake: Wake
    private let commands = Mutex<[Command]>([])

    /// An empty mailbox.
    ///
    /// - Throws: ``SystemCallError`` where the process may open no more descriptors.
    package init() throws(SystemCallError) { wake = try Wake() }

    /// Readable as long as there is a command.
    package var descriptor: Int32 { wake.descriptor }

    /// Adds a command, from any thread.
    package func post(_ command: Command) {
        commands.withLock { commands in
            commands.append(command)
            // Under the lock, so that the descriptor is never left readable without a command.
            if commands.count == 1 { wake.raise() }
        }
    }

    /// All that was posted since, in order; empty when nothing was.
    package func take() -> [Command] {
        commands.withLock { commands in
            guard !commands.isEmpty else { return [] }
            wake.clear()
            defer { commands = [] }
            return commands
        }
    }
}
