/// Looks up the commands of one script. Each name is looked up once, and the number of names is limited, since a
/// person may write a script of any number of commands, and each lookup asks the file system several times.
struct CommandLookup {
    /// The limit of names. A script that only prepares an app calls fewer commands.
    static let most = 64

    private var paths: [String: String?] = [:]

    /// Returns the path of a command.
    ///
    /// - Returns: `nil` when the command does not exist, or when it exceeds the limit. A command without a known
    ///   path may be any program. So the program at the end of the script does not count as the app, and the
    ///   shield stops too little rather than too much.
    mutating func path(of name: String, _ find: (String) -> String?) -> String? {
        if let known = paths[name] { return known }
        guard paths.count < Self.most else { return nil }
        let path = find(name)
        paths.updateValue(path, forKey: name)
        return path
    }
}
