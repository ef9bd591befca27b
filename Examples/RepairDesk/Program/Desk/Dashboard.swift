internal import LockScreens
internal import PasscodeLock
internal import RepairShop

/// The content for people who are signed in: the repairs, the customers, and the way to the settings.
struct Dashboard: Sendable, Hashable {
    static let tabs = ["Repairs", "Customers", "Settings"]

    var tab = 0
    var repairs: [Repair] = []
    var message: ScreenMessage?

    /// The dashboard of the staff.
    func content(_ person: String) -> PageContent {
        var content = PageContent(
            title: "RepairDesk",
            person: person,
            tabs: Self.tabs,
            tab: tab,
            message: message
        )
        switch tab {
        case 0:
            content.text = ["Return brings a repair one stage further."]
            content.rows = repairs.map(Self.row)
        case 1:
            let customers = Dictionary(grouping: repairs, by: \.customer)
            content.text = customers.sorted { $0.key < $1.key }.map { name, repairs in
                "\(name): \(repairs.count) \(repairs.count == 1 ? "repair" : "repairs")"
            }
        default:
            content.actions =
                [.init(.security, "Security"), .init(.lock, "Lock Now")] + PageContent.waysOut
        }
        return content
    }

    /// The page of a customer, with the customer's own repairs.
    func portal(_ person: String, _ customer: String) -> PageContent {
        let own = repairs.filter { $0.customer == customer }
        return PageContent(
            title: "Your Repairs",
            person: person,
            text: own.isEmpty ? ["There is nothing of yours here."] : [],
            rows: own.map(Self.row),
            message: message,
            actions: PageContent.waysOut
        )
    }

    private static func row(_ repair: Repair) -> PageContent.Row {
        PageContent.Row(
            text: "\(repair.number)  \(repair.thing) (\(repair.customer))",
            trailing: repair.stage.rawValue
        )
    }
}
