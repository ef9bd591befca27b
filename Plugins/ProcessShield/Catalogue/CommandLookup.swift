/// Looks up the commands of one script, and each name only once. A person may write a script of any number of
/// commands, and each lookup asks the file system several times. So at most ``most`` names are looked up.
struct CommandLookup {
    /// The limit of names. A script that only prepares an app calls fewer commands.
    static let most = 64

    private var paths: [String: String?] = [:]

    /// Returns the path of a command.
    ///
    /// - Returns: `nil` if the command does not exist, or if the limit of names is reached.
    ///   A command without a known path may be any program. So the callers assume that the script starts
    ///   other programs besides the last one. The shield then stops too few processes rather than too many.
    mutating func path(of name: String, _ find: (String) -> String?) -> String? {
        if let known = paths[name] { return known }
        guard paths.count < Self.most else { return nil }
        let path = find(name)
        paths.updateValue(path, forKey: name)
        return path
    }
}
