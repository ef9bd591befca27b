public import LockScreens
public import PortcullisCore

/// All texts of the goal lock, to be replaced for another language.
public struct GoalStrings: Sendable {
    /// The texts of the specification.
    public static let english = GoalStrings()

    /// The texts of the specification, to be changed one by one.
    public init() {}

    /// What the feature is called: title of the settings, of their row and of its card.
    public var appLock = "App Lock"
    /// Leaves things as they are.
    public var cancel = "Cancel"
    /// Closes what is finished.
    public var done = "Done"
    /// Closes an alert.
    public var ok = "OK"

    /// Headline of the notification.
    public var unlockedTitle = "Apps Unlocked!"
    /// Text of the notification.
    public var unlockedText = "You reached your goal. Your apps are open for the rest of the day."
    /// Headline of the notification that the lock's state is damaged.
    public var damagedTitle = "App Lock needs your help"
    /// Text of the notification that the lock's state is damaged.
    public var damagedText =
        "Its state cannot be read, so your apps stay as they are. Open the app to release them."

    /// Title of the introduction.
    public var introductionTitle = "Introducing App Lock"
    /// Text of the introduction.
    public var introductionText = """
        Take control of your screen time. Set daily limits for social apps and stay focused on what matters most.
        """
    /// Leaves the introduction for the settings.
    public var getStarted = "Get Started"

    /// The lock is on, in the row.
    public var on = "On"
    /// The lock is off, in the row.
    public var off = "Off"
    /// The switch.
    public var enable = "Enable App Lock"
    /// The way to the picker.
    public var selectApps = "Select Apps"
    /// What the lock does, with the time at which days start: a function, because a host may put words of a person's own,
    /// such as a goal's title, beside it.
    public var note: @Sendable (_ dayStart: String) -> String = { dayStart in
        "Selected apps will be blocked until you reach your daily step goal. Shields reset at \(dayStart)."
    }
    /// The time at which days start unless the person chose another.
    public var midnight = "midnight"
    /// Any other time at which days start, such as "04:30".
    public var timeOfDay: @Sendable (TimeOfDay) -> String = { time in
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(time.hour)):\(padded(time.minute))"
    }
    /// First of three rows that tell what the feature is.
    public var chooseApps = "Choose Apps to Lock"
    /// Second of three rows that tell what the feature is.
    public var walk = "Walk to Unlock"
    /// Third of three rows that tell what the feature is.
    public var resetsDaily = "Resets Daily"
    /// Title of the alert that apps may not be shielded.
    public var deniedTitle = "Permission Needed"
    /// Text of that alert where the system does not say how to allow it.
    public var deniedText = "Allow this app to manage other apps in the system's settings."
    /// Shown while the right to shield has been taken away.
    public var revoked = "App Lock may no longer block apps."
    /// Shown while the host cannot read how far the person got.
    public var unreadableProgress = "Your progress cannot be read, so your apps stay as they are."
    /// Shown while the feature is no longer paid for.
    public var lapsed = "App Lock is paused: your subscription has ended."

    /// A goal that is none.
    public var goalInvalid = "A goal is a number above zero."
    /// Progress that is none.
    public var progressInvalid = "Progress is a number of zero or more."
    /// A day that would start too late.
    public var dayStartInvalid = "A day starts at 06:00 at the latest."
    /// The lock's state cannot be understood.
    public var stateDamaged = "The state of App Lock is damaged, so your apps stay as they are."
    /// The lock's state was written by a newer version.
    public var stateNewer = "App Lock was used by a newer version of this app. Update the app."
    /// The store failed in a way that says nothing to a person.
    public var storeFailed = "App Lock could not be read or saved. Try again."
    /// No space is left.
    public var storeFull = "App Lock could not be saved: no space is left."
    /// The system does not allow it.
    public var storeNotPermitted = "App Lock could not be read or saved: it is not permitted."
    /// Another process holds the store.
    public var storeBusy = "App Lock is in use by another program. Try again."
    /// The store cannot be read now.
    public var storeLocked = "The storage of App Lock is locked."
    /// The server that keeps the state cannot be reached, or does not answer.
    public var storeUnreachable = "The storage of App Lock cannot be reached. Try again."
    /// It is not known whether it was saved.
    public var storeUncertain = "It is not certain whether this was saved. Check before you try again."
    /// Apps could not be blocked or opened.
    public var shieldFailed = "Your apps could not be blocked or opened. This is tried again."
    /// The change of day could not be planned.
    public var schedulerFailed = "The next day could not be planned. This is tried again."
    /// The notification could not be delivered.
    public var notifierFailed = "You could not be notified."

    /// Headline over the apps of the picker.
    public var apps = "Apps"
    /// Stands in the place of the picker's search while there is none.
    public var search = "Search"
    /// How much is chosen in the picker.
    public var chosen = PluralText(one: "%@ chosen", other: "%@ chosen")
    /// Shown where the picker has nothing to choose.
    public var nothingFound = "Nothing found"
    /// Headline over the categories of the picker.
    public var categories = "Categories"

    /// What the feature's card on the paywall says.
    public var appLockCard = "Block distracting apps until you reach your daily goal."
    /// Buys what the paywall offers.
    public var subscribe = "Continue"
    /// Leaves the paywall.
    public var close = "Close"
    /// Where a carousel stands; `%1` and `%2` stand for the numbers.
    public var cardOfCards = "Card %1 of %2"

    /// "… Shields reset at midnight.", or at another time such as "04:30".
    public func note(dayStart: TimeOfDay) -> String {
        note(dayStart == .midnight ? midnight : timeOfDay(dayStart))
    }

    /// "Card 3 of 8".
    public func card(_ number: Int, of count: Int) -> String {
        cardOfCards.filling("%1", with: "\(number)").filling("%2", with: "\(count)")
    }
}
