/// The accessibility class of an item: when the item may be read, and whether it may leave the device. Each
/// class has the same meaning as in the keychain of iOS.
public struct Accessibility: Hashable, Sendable, CustomStringConvertible {
    /// The time during which an item can be read.
    public enum Availability: UInt8, Hashable, Sendable, CaseIterable {
        /// The item can be read only while the store is unlocked. Locking the store removes the key of these
        /// items from memory.
        case whenUnlocked = 1
        /// The item can be read once the store was unlocked for the first time after a restart, even if the
        /// store is locked again.
        case afterFirstUnlock = 2
    }

    /// When the item may be read.
    public let availability: Availability

    /// Whether the item stays on this device. If the value is `true`, exports and backups omit the item.
    public let thisDeviceOnly: Bool

    /// Makes an accessibility class with these properties.
    public init(_ availability: Availability, thisDeviceOnly: Bool) {
        self.availability = availability
        self.thisDeviceOnly = thisDeviceOnly
    }

    /// The item is readable while the store is unlocked. Exports contain the item.
    public static let whenUnlocked = Accessibility(.whenUnlocked, thisDeviceOnly: false)
    /// The item is readable while the store is unlocked. The item never leaves the device.
    public static let whenUnlockedThisDeviceOnly = Accessibility(.whenUnlocked, thisDeviceOnly: true)
    /// The item is readable once the store was unlocked for the first time after a restart. Exports contain
    /// the item.
    public static let afterFirstUnlock = Accessibility(.afterFirstUnlock, thisDeviceOnly: false)
    /// The item is readable once the store was unlocked for the first time after a restart. The item never
    /// leaves the device.
    ///
    /// The library's own items are of this class.
    public static let afterFirstUnlockThisDeviceOnly = Accessibility(.afterFirstUnlock, thisDeviceOnly: true)

    /// All four classes.
    public static let allCases: [Accessibility] = [
        .whenUnlocked, .whenUnlockedThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
    ]

    /// The name that the command-line tool uses, such as `whenUnlockedThisDeviceOnly`.
    public var description: String {
        let base =
            switch availability {
            case .whenUnlocked: "whenUnlocked"
            case .afterFirstUnlock: "afterFirstUnlock"
            }
        return thisDeviceOnly ? base + "ThisDeviceOnly" : base
    }
}
