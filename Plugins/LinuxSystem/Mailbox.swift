internal import Synchronization

/// Commands for a thread that waits on descriptors. Posting a command wakes the thread.
package final class Mailbox<Command: Sendable>: Sendable {
    private let wake: Wake
    /// The pending commands; `nil` after the mailbox was closed.
    private let commands = Mutex<[Command]?>([])

    /// Makes an empty mailbox.
    ///
    /// - Throws: ``SystemCallError`` if the process has reached the limit of open descriptors.
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
            // The wake is raised while the lock is held. If it were raised after the lock is released,
            // `take()` could take the command first. The descriptor would then be readable although there is
            // no command.
            if count == 0 { wake.raise() }
            return true
        }
    }

    /// Removes and returns all commands posted since the last call, in order.
    package func take() -> [Command] {
        commands.withLock { commands in
            guard let all = commands, !all.isEmpty else { return [] }
            wake.clear()
            commands = []
            return all
        }
    }

    /// Closes the mailbox. Afterwards it refuses commands.
    ///
    /// - Returns: the commands that were posted but not yet taken.
    package func close() -> [Command] {
        commands.withLock { commands in
            defer { commands = nil }
            return commands ?? []
        }
    }
}
