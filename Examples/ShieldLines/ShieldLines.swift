public import PortcullisCore

extension ShieldCoverage {
    /// Tells a person about apps that were to be shut: one line for all that are shut, and one for each other
    /// app.
    ///
    /// A shield reports no error for a token that names nothing, such as a mistyped one, or that must not be
    /// shut. Only its coverage tells.
    ///
    /// - Parameters:
    ///   - apps: the apps, in the order of the lines.
    ///   - words: the text after the names of the shut apps.
    public func lines(for apps: [AppToken], shut words: String) -> [String] {
        var shut: [String] = []
        var others: [String] = []
        for app in apps {
            switch self.apps[app] {
            case .gated, .reactive: shut.append(app.rawValue)
            case .refused(let reason): others.append("\(app.rawValue): not shut, \(reason)")
            case .unresolved, nil: others.append("\(app.rawValue): not shut, there is no such app")
            }
        }
        return (shut.isEmpty ? [] : ["\(shut.joined(separator: ", ")): \(words)"]) + others
    }
}
