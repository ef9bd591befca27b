internal import Synchronization

/// Commands for a thread that waits on descriptors: posting one wakes it.
package final class Mailbox<Command: Sendable>: Sendable {
    private let wake: Wake
    /// `nil` once it is closed.
    private let commands = Mutex<[Command]?>([])

    /// An empty mailbox.
    ///
    /// - Throws: ``SystemCallError`` where the process may open no more descriptors.
    package init() throws(SystemCallError) { wake = try Wake() }

    /// Readable as long as there is a command.
    package var descriptor: Int32 { wake.descriptor }

    /// Adds a command, from any thread.
    ///
    /// - Returns: whether it is taken: not where the mailbox is closed.
    @discardableResult
    package func post(_ command: Command) -> Bool {
        commands.withLock { commands in
            guard let count = commands?.count else { return false }
            commands?.append(command)
            // Under the lock, so that the descriptor is never left readable without a command.
            if count == 0 { wake.raise() }
            return true
        }
    }

    /// All that was posted since, in order; empty when nothing was.
    package func take() -> [Command] {
        commands.withLock { commands in
            guard let all = commands, !all.isEmpty else { return [] }
            wake.clear()
            commands = []
            return all
        }
    }

    /// Takes no command any more.
    ///
    /// - Returns: what was posted and not taken.
    package func close() -> [Command] {
        commands.withLock { commands in
            defer { commands = nil }
            return commands ?? []
        }
    }
}
