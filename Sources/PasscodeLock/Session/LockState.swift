internal import PortcullisCore

/// Where the app is, with the cases of SwiftUI's scene phase, and a name of its own: an app imports both.
public enum AppPhase: Sendable, Hashable {
    /// In front and taking input.
    case active
    /// In front but not taking input, or on its way to or from the background.
    case inactive
    /// Out of sight.
    case background
}

/// What lies over the content.
public enum LockCover: Sendable, Hashable {
    /// Nothing: the content is open.
    case none
    /// The content is obscured, because the app is not active.
    case obscured
    /// The lock screen; it covers everything, every tab and every sheet.
    case lockScreen
    /// The lock screen, while signing out; it stays until that has ended.
    case signingOut
}

/// How a cover comes and goes: opacity over a time, slow at both ends.
public struct CoverTransition: Sendable, Hashable {
    /// How long it takes.
    public var duration: Duration
    /// Of the specification: a quarter of a second.
    public static let standard = CoverTransition(duration: .milliseconds(250))

    /// A transition that takes so long.
    public init(duration: Duration) { self.duration = duration }

    /// The cover's opacity after part of the time, from 0 to 1 for a cover that comes; ease-in-out as a cubic.
    public func opacity(at progress: Double) -> Double {
        let t = min(max(progress, 0), 1)
        return t * t * (3 - 2 * t)
    }
}

/// What the lock shows to observers.
public struct LockState: Sendable, Hashable {
    /// Whether the app is locked.
    public var isLocked: Bool
    /// What lies over the content.
    public var cover: LockCover
    /// Rises each time a screen that could unlock stops being the one: proofs of an older one are void.
    public var generation: UInt64

    /// Rises with each change, so that an observer can tell an old state from a new one.
    public var revision: UInt64

    /// A state of these parts.
    public init(isLocked: Bool, cover: LockCover, generation: UInt64, revision: UInt64 = 0) {
        self.isLocked = isLocked
        self.cover = cover
        self.generation = generation
        self.revision = revision
    }
}
