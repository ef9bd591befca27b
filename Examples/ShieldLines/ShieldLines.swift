public import PortcullisCore

extension ShieldCoverage {
    /// What to tell a person of apps that were to be shut: a line for those that are, and one for each that is not.
    ///
    /// To a shield it is no error that a token names nothing, as a mistyped one does, or something that must not be shut;
    /// only its coverage tells.
    ///
    /// - Parameters:
    ///   - apps: in the order in which they are told.
    ///   - words: what follows the names of those that are shut.
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
