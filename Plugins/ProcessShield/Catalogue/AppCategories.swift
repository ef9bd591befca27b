/// The categories that a person can choose: the main categories of the freedesktop menu, and `Social`.
enum AppCategories {
    /// A category that a person can choose.
    struct Category {
        let token: String
        let label: String
        /// The freedesktop categories that make up this category. An app is a member if its desktop entry
        /// lists one of them.
        let members: Set<String>
        /// Other names by which this category can be chosen.
        let aliases: Set<String>
    }

    static let all: [Category] = [
        category("AudioVideo", "Sound & Video", also: ["Audio", "Video"]),
        category("Audio", "Sound"),
        category("Video", "Video", also: ["TV"], aliases: ["video", "videos"]),
        category("Development", "Programming"),
        category("Education", "Education"),
        category("Game", "Games", also: games, aliases: ["games", "game"]),
        category("Graphics", "Graphics"),
        category("Network", "Internet"),
        category("Office", "Office"),
        category("Science", "Science"),
        category("Settings", "Settings"),
        category("System", "System"),
        category("Utility", "Accessories"),
        Category(token: "Social", label: "Social", members: social, aliases: ["social"]),
    ]

    /// Subcategories of games. Some games name a subcategory without the main category `Game`.
    private static let games: [String] = [
        "ActionGame", "AdventureGame", "ArcadeGame", "BoardGame", "BlocksGame", "CardGame", "KidsGame",
        "LogicGame",
        "RolePlaying", "Shooter", "Simulation", "SportsGame", "StrategyGame",
    ]

    /// The freedesktop categories that make up `Social`, a category that the freedesktop menu does not have.
    private static let social: Set<String> = [
        "Chat", "InstantMessaging", "IRCClient", "VideoConference", "X-SocialNetwork",
    ]

    private static func category(
        _ token: String,
        _ label: String,
        also others: [String] = [],
        aliases: Set<String> = []
    ) -> Category {
        Category(token: token, label: label, members: Set([token] + others), aliases: aliases)
    }

    /// Returns the category that has this token or this alias.
    static func named(_ token: String) -> Category? {
        all.first { $0.token == token || $0.aliases.contains(token) }
    }
}
