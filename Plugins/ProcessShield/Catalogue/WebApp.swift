/// Web apps that a browser shows in a window of their own: they are processes of the browser, and the browser's file.
enum WebApp {
    static let reason = "it is part of its browser, which would be shut as a whole"

    /// Whether an argument tells a browser to show one.
    static func isNamed(by argument: String) -> Bool {
        // GNOME Web's.
        if argument == "--application-mode" { return true }
        guard let (option, value) = argument.parted(at: "=") else { return false }
        // A script may keep the address in a variable.
        return option == "--app-id" || option == "--app" && (value.contains("://") || value.contains("$"))
    }
}
