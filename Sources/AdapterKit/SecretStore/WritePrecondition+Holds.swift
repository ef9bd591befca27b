public import PortcullisCore

extension WritePrecondition {
    /// Whether an item may be written or removed under this precondition.
    ///
    /// - Parameter current: the item's version now; `nil` when there is no item.
    public func holds(for current: SecretVersion?) -> Bool {
        switch self {
        case .none: true
        case .absent: current == nil
        case .version(let expected): current == expected
        }
    }
}
