internal import PortcullisCore

/// The phase of the app. Its cases are those of SwiftUI's `ScenePhase`. The name differs, because an app
/// imports both SwiftUI and this module.
public enum AppPhase: Sendable, Hashable {
    /// The app is in front and takes input.
    case active
    /// The app is in front but takes no input, or is on its way to or from the background.
    case inactive
    /// The app is in the background and cannot be seen.
    case background
}

/// The cover over the content.
public enum LockCover: Sendable, Hashable {
    /// There is no cover: the content is open.
    case none
    /// The content is obscured: the app is not active, or the passcode's state is not known yet.
    case obscured
    /// The lock screen. It covers every tab and every sheet.
    case lockScreen
    /// The lock screen while the person signs out. It stays until signing out has ended.
    case signingOut
}

/// The transition of a cover. The opacity changes gradually, most slowly at the beginning and at the end.
public struct CoverTransition: Sendable, Hashable {
    /// The time that the transition takes.
    public var duration: Duration
    /// The transition of the specification: a quarter of a second.
    public static let standard = CoverTransition(duration: .milliseconds(250))

    /// Makes a transition of this length.
    public init(duration: Duration) { self.duration = duration }

    /// The opacity of a cover that appears, from 0 to 1, after this fraction of the duration. The curve is
    /// the smoothstep function, 3t² − 2t³.
    public func opacity(at progress: Double) -> Double {
        let t = min(max(progress, 0), 1)
        return t * t * (3 - 2 * t)
    }
}

/// The state of a lock as observers see it.
public struct LockState: Sendable, Hashable {
    /// Whether the app is locked.
    public var isLocked: Bool
    /// The cover over the content.
    public var cover: LockCover
    /// The generation of the lock. It rises each time earlier proofs become invalid. A proof of an older
    /// generation does not unlock.
    public var generation: UInt64

    /// The number of the state. It rises with each change, so that an observer can tell an old state from a
    /// new one.
    public var revision: UInt64

    /// Makes a state.
    public init(isLocked: Bool, cover: LockCover, generation: UInt64, revision: UInt64 = 0) {
        self.isLocked = isLocked
        self.cover = cover
        self.generation = generation
        self.revision = revision
    }
}
