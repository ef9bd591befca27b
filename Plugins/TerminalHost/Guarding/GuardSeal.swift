public import PortcullisCore

/// What is sealed while a guarded run is locked, and opened by its passcode: a port of the host's own.
///
/// The run tells it of each lock by its number, the generation, which only grows. What belongs to an earlier lock than the
/// last changes nothing. `SessionSeal` of SealedSession does what is asked here; a host that has it says so in an empty
/// extension.
///
/// ## For implementers
/// - Calls may come from any thread, and ``lock(for:)`` while ``open(with:for:)`` is under way: then the lock wins.
/// - What was opened and neither admitted nor given up is used by nothing yet.
public protocol GuardSeal: Sendable {
    /// Whether something is sealed by now: the first ``open(with:for:)`` may be what seals it.
    var isSealed: Bool { get }

    /// Shuts what is sealed, for the lock of this number; it neither waits nor fails.
    func lock(for generation: UInt64)

    /// Opens what is sealed, and seals it first where that is still to be done.
    ///
    /// - Parameters:
    ///   - key: what the passcode opened, of 32 bytes; `nil`, as for a proof without a key, opens nothing.
    ///   - generation: the lock that the passcode was entered for.
    /// - Throws: `wrongKey` when the key does not open it; `classLocked` when it was locked meanwhile; what keeps it from
    ///   being opened otherwise.
    func open(with key: SecretBytes?, for generation: UInt64) async throws(SecretStoreError)

    /// The session is unlocked: what was opened for this lock may be used.
    func admit(for generation: UInt64)

    /// What was opened for this lock did not unlock the session, and is shut again.
    func giveUp(for generation: UInt64)

    /// The run is over: as a lock, whatever its number.
    func end()
}
