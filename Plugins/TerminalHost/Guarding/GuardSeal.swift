public import PortcullisCore

/// Content that can be sealed: encrypted so that the key of the run's passcode opens it. Sealed content is
/// shut while a guarded run is locked. The host implements this protocol.
///
/// The run reports each lock by its generation, a number that only grows. A call for an earlier generation
/// than the latest one has no effect. `SessionSeal` of SealedSession has all these methods, so an empty
/// extension makes `SessionSeal` conform.
///
/// ## For implementers
/// - Calls may come from any thread. If ``lock(for:)`` is called during ``open(with:for:)``, the content
///   stays shut.
/// - The content must not be used between a successful ``open(with:for:)`` and ``admit(for:)``.
public protocol GuardSeal: Sendable {
    /// Whether the content is sealed already. If it is not, ``open(with:for:)`` may seal it.
    var isSealed: Bool { get }

    /// Shuts the content for the lock of this generation. The call neither waits nor fails.
    func lock(for generation: UInt64)

    /// Opens the content, and seals it first if it is not sealed yet.
    ///
    /// - Parameters:
    ///   - key: the 32-byte key that the passcode opened; `nil` if unlocking gave no key. Without a key
    ///     nothing is opened.
    ///   - generation: the lock that the passcode was entered for.
    /// - Throws: `wrongKey` when the key does not open the content; `classLocked` when the run was locked
    ///   during the call; any other error that prevented the opening.
    func open(with key: SecretBytes?, for generation: UInt64) async throws(SecretStoreError)

    /// Allows the use of the content that was opened for this lock, because the session is unlocked.
    func admit(for generation: UInt64)

    /// Shuts the content that was opened for this lock, because the session was not unlocked.
    func giveUp(for generation: UInt64)

    /// Shuts the content for every generation, because the run has ended.
    func end()
}
