public import LockScreens
public import PortcullisCore

/// All texts of the goal lock. An app replaces them for another language.
public struct GoalStrings: Sendable {
    /// The English texts, which are the default.
    public static let english = GoalStrings()

    /// Makes the English texts. Each text can be replaced afterwards.
    public init() {}

    /// The feature's name. It is the title of the settings screen, of the row that opens this screen and of
    /// the paywall's card.
    public var appLock = "App Lock"
    /// The button that closes a screen without a change.
    public var cancel = "Cancel"
    /// The button that closes a finished screen.
    public var done = "Done"
    /// The button that closes an alert.
    public var ok = "OK"

    /// The headline of the notification which reports that the apps are unlocked.
    public var unlockedTitle = "Apps Unlocked!"
    /// The text of the notification which reports that the apps are unlocked.
    public var unlockedText = "You reached your goal. Your apps are open for the rest of the day."
    /// The headline of the notification which reports that the lock's state is damaged.
    public var damagedTitle = "App Lock needs your help"
    /// The text of the notification which reports that the lock's state is damaged.
    public var damagedText =
        "Its state cannot be read, so your apps stay as they are. Open the app to release them."

    /// The title of the introduction.
    public var introductionTitle = "Introducing App Lock"
    /// The text of the introduction.
    public var introductionText = """
        Take control of your screen time. Set daily limits for social apps and stay focused on what matters most.
        """
    /// The button that closes the introduction and opens the settings.
    public var getStarted = "Get Started"

    /// The value of the settings row while the lock is on.
    public var on = "On"
    /// The value of the settings row while the lock is off.
    public var off = "Off"
    /// The switch that turns the lock on and off.
    public var enable = "Enable App Lock"
    /// The link that opens the picker.
    public var selectApps = "Select Apps"
    /// The note that explains the lock. The argument is the time at which days start, in words. A host can
    /// set a function that also inserts text of the person's choice, such as the goal's name.
    public var note: @Sendable (_ dayStart: String) -> String = { dayStart in
        "Selected apps will be blocked until you reach your daily step goal. Shields reset at \(dayStart)."
    }
    /// The name of midnight, the default start of days.
    public var midnight = "midnight"
    /// The text for the time at which a day starts, if that is not midnight, such as "04:30".
    public var timeOfDay: @Sendable (TimeOfDay) -> String = { time in
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(time.hour)):\(padded(time.minute))"
    }
    /// The first of three rows that describe the feature.
    public var chooseApps = "Choose Apps to Lock"
    /// The second of three rows that describe the feature.
    public var walk = "Walk to Unlock"
    /// The third of three rows that describe the feature.
    public var resetsDaily = "Resets Daily"
    /// The title of the alert that appears if the app has no permission to shield apps.
    public var deniedTitle = "Permission Needed"
    /// The text of the alert about the missing permission, if the system does not say how to give it.
    public var deniedText = "Allow this app to manage other apps in the system's settings."
    /// The message that is shown while the permission to shield apps is withdrawn.
    public var revoked = "App Lock may no longer block apps."
    /// The message that is shown while the host cannot read the progress.
    public var unreadableProgress = "Your progress cannot be read, so your apps stay as they are."
    /// The message that is shown while the feature is no longer paid for.
    public var lapsed = "App Lock is paused: your subscription has ended."

    /// The error for an invalid goal.
    public var goalInvalid = "A goal is a number above zero."
    /// The error for invalid progress.
    public var progressInvalid = "Progress is a number of zero or more."
    /// The error for a start of days after 06:00.
    public var dayStartInvalid = "A day starts at 06:00 at the latest."
    /// The error when the lock's state cannot be understood.
    public var stateDamaged = "The state of App Lock is damaged, so your apps stay as they are."
    /// The error when a newer version wrote the lock's state.
    public var stateNewer = "App Lock was used by a newer version of this app. Update the app."
    /// The error for all failures of the store that have no other text.
    public var storeFailed = "App Lock could not be read or saved. Try again."
    /// The error when the disk is full.
    public var storeFull = "App Lock could not be saved: no space is left."
    /// The error when the system does not permit access to the store.
    public var storeNotPermitted = "App Lock could not be read or saved: it is not permitted."
    /// The error when another process holds the store.
    public var storeBusy = "App Lock is in use by another program. Try again."
    /// The error when the store is locked or was given a wrong key.
    public var storeLocked = "The storage of App Lock is locked."
    /// The error when the server that keeps the state cannot be reached or does not answer.
    public var storeUnreachable = "The storage of App Lock cannot be reached. Try again."
    /// The error when it is unknown whether a change was saved.
    public var storeUncertain = "It is not certain whether this was saved. Check before you try again."
    /// The error when apps could not be shielded or released.
    public var shieldFailed = "Your apps could not be blocked or opened. This is tried again."
    /// The error when the daily activity could not be started.
    public var schedulerFailed = "The next day could not be planned. This is tried again."
    /// The error when the notification could not be delivered.
    public var notifierFailed = "You could not be notified."

    /// The headline over the apps in the picker.
    public var apps = "Apps"
    /// The placeholder in the picker's empty search field.
    public var search = "Search"
    /// The number of chosen items in the picker.
    public var chosen = PluralText(one: "%@ chosen", other: "%@ chosen")
    /// The text in the picker when the search finds nothing.
    public var nothingFound = "Nothing found"
    /// The headline over the categories in the picker.
    public var categories = "Categories"

    /// The text of the feature's card on the paywall.
    public var appLockCard = "Block distracting apps until you reach your daily goal."
    /// The button on the paywall that starts the purchase.
    public var subscribe = "Continue"
    /// The button that closes the paywall.
    public var close = "Close"
    /// The accessibility value of a carousel; `%1` and `%2` stand for the card's number and the number of
    /// cards.
    public var cardOfCards = "Card %1 of %2"

    /// Returns the note that explains the lock. The note names the start of days, such as "midnight" or
    /// "04:30".
    public func note(dayStart: TimeOfDay) -> String {
        note(dayStart == .midnight ? midnight : timeOfDay(dayStart))
    }

    /// The accessibility value of a carousel, such as "Card 3 of 8".
    public func card(_ number: Int, of count: Int) -> String {
        cardOfCards.filling("%1", with: "\(number)").filling("%2", with: "\(count)")
    }
}
