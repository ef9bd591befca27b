internal import Logging
internal import PortcullisCore
internal import Synchronization

extension AccountServer {
    /// Takes another directory of accounts while the server runs.
    ///
    /// From then on, accounts that are missing or have another role in it have no open sessions. The sessions
    /// end for good with ``endSessions(withoutAccountIn:)``.
    package func replaceAccounts(with directory: AccountDirectory) { api.accounts.replace(with: directory) }

    /// Ends the sessions of accounts that are missing or have another role in a directory. Sessions that have
    /// ended stay ended if the accounts come back.
    ///
    /// If the store fails, the failure is logged, and this is tried again every five seconds until it has
    /// succeeded or the task is cancelled.
    package func endSessions(withoutAccountIn directory: AccountDirectory) async {
        while !Task.isCancelled {
            do { return try await api.sessions.endThoseWithoutAccount(in: directory) } catch {
                logger.error(
                    "sessions of accounts that are gone have not ended",
                    metadata: ["reason": "\(error)"]
                )
            }
            // A sleep that ends early is no reason to stop.
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .seconds(5)))
        }
    }

    /// Reads the accounts again at each signal, until the signals end or the task is cancelled. If the
    /// accounts cannot be read, the earlier accounts stay.
    ///
    /// A directory is in force as soon as it is read. The sessions of accounts that are missing or have
    /// another role in it are ended after that, beside later signals. So they stay ended even if the next
    /// directory has the accounts again. What was begun under the next one may end with them.
    ///
    /// Directories that are read while sessions are being ended are judged together after that: an account
    /// keeps its sessions if all of them have it with the same role. So while the store fails, at most two
    /// wait, however many signals come.
    package func rereadAccounts<Signals: AsyncSequence>(
        at signals: Signals,
        _ read: @escaping @Sendable () throws -> AccountDirectory
    ) async where Signals.Failure == Never {
        let unjudged = UnjudgedDirectories()
        let (replacements, replaced) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await _ in replacements {
                    if let common = unjudged.take() { await endSessions(withoutAccountIn: common) }
                }
            }
            for await _ in signals {
                do {
                    let directory = try read()
                    replaceAccounts(with: directory)
                    unjudged.add(directory)
                    replaced.yield()
                    logger.notice("accounts read again")
                } catch {
                    logger.error("accounts not read again", metadata: ["reason": "\(error)"])
                }
            }
            replaced.finish()
        }
    }
}

/// What the directories have in common by which no sessions were ended yet.
private final class UnjudgedDirectories: Sendable {
    private let common = Mutex<AccountDirectory?>(nil)

    func add(_ directory: AccountDirectory) {
        common.withLock { $0 = $0?.common(with: directory) ?? directory }
    }

    /// Returns what the directories have in common, and forgets it; `nil` if there is none.
    func take() -> AccountDirectory? {
        common.withLock { common in
            defer { common = nil }
            return common
        }
    }
}
