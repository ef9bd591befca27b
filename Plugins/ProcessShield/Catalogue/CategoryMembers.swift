package import PortcullisCore

extension DesktopCatalogue {
    /// The apps that a category holds now, including apps that are never shielded. The method reads files, so
    /// the calling thread may block.
    package func members(of category: CategoryToken) -> Set<AppToken> {
        let found = ProgramResolver(catalogue: self).resolve(ShieldSelection(categories: [category]))
        return Set((found.categories[category] ?? [:]).keys)
    }
}
