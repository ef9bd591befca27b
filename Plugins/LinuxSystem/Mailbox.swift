internal import Synchronization

/// Commands for a thread that waits on descriptors. Posting a command wakes the thread.
package final class Mailbox<Command: Sendable>: Sendable {
    private let wake: Wake
    /// The commands that wait; `nil` after the mailbox was closed.
    private let commands = Mutex<[Command]?>([])

    /// Makes an empty mailbox.
    ///
    /// - Throws: ``SystemCallError`` if the process may open no further descriptor.
    package init() throws(SystemCallError) { wake = try Wake() }

    /// The descriptor, which is readable as long as there is a command.
    package var descriptor: Int32 { wake.descriptor }

    /// Adds a command, from any thread.
    ///
    /// - Returns: whether the command was accepted; `false` if the mailbox is closed.
    @discardableResult
    package func post(_ command: Command) -> Bool {
        commands.withLock { commands in
            guard let count = commands?.count else { return false }
            commands?.append(command)
            // The wake is raised under the lock, so that the descriptor is never readable without a command.
            if count == 0 { wake.raise() }
            return true
        }
    }

    /// Takes all commands posted since the last call, in order.
    package func take() -> [Command] {
        commands.withLock { commands in
            guard let all = commands, !all.isEmpty else { return [] }
            wake.clear()
            commands = []
            return all
        }
    }

    /// Closes the mailbox, which then refuses commands.
    ///
    /// - Returns: the commands that were posted and not taken.
    package func close() -> [Command] {
        commands.withLock { commands in
            defer { commands = nil }
            return commands ?? []
        }
    }
}
