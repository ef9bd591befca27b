/// The categories that can be chosen: the main ones of the freedesktop menu, and a few that people ask for.
enum AppCategories {
    /// A category with what belongs to it.
    struct Category {
        let token: String
        let label: String
        /// The names in desktop entries, any of which is enough.
        let members: Set<String>
        /// Other texts under which it is accepted.
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

    /// Subcategories that some games name without the main one.
    private static let games: [String] = [
        "ActionGame", "AdventureGame", "ArcadeGame", "BoardGame", "BlocksGame", "CardGame", "KidsGame",
        "LogicGame",
        "RolePlaying", "Shooter", "Simulation", "SportsGame", "StrategyGame",
    ]

    /// The menu has no category of its own for them.
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

    /// The category that a token names.
    static func named(_ token: String) -> Category? {
        all.first { $0.token == token || $0.aliases.contains(token) }
    }
}
