internal import Logging
internal import PortcullisCore
internal import SealingStore
internal import ServiceLifecycle

/// Has the anchor witness what was seen, and takes up new value keys: every few seconds, and once more at the
/// end.
struct SeenKeeper<Base: SecretStore>: Service, CustomStringConvertible {
    var description: String { "SeenKeeper" }

    static var interval: Duration { .seconds(5) }

    let store: SealingStore<Base>
    let clock: any LockClock
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // A sleep that ends early is no reason to stop.
                try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.interval))
                await keep()
            }
        }
        await keep()
    }

    /// Reads the sealing keys again, and keeps what was seen, even if the keys cannot be read.
    func keep() async {
        do { try await store.refreshKeys() } catch {
            logger.error("the sealing keys were not read again", metadata: ["reason": "\(error)"])
        }
        do { try await store.keepSeen() } catch {
            logger.error("what was seen was not kept", metadata: ["reason": "\(error)"])
        }
    }
}
