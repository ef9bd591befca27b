package import PortcullisCore

extension DesktopCatalogue {
    /// The apps that a category holds now, those that are never shielded included. Reads files: for a thread that may
    /// block.
    package func members(of category: CategoryToken) -> Set<AppToken> {
        let found = ProgramResolver(catalogue: self).resolve(ShieldSelection(categories: [category]))
        return Set((found.categories[category] ?? [:]).keys)
    }
}
