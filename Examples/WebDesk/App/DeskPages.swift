internal import Hummingbird
internal import HTTPTypes
internal import PasscodeLock
internal import RepairShop
internal import WebScreens

/// The desk's own pages.
struct DeskPages {
    /// The element for the head of each page behind the lock; see `WebLock.head`.
    let head: String

    func page(_ title: String, _ body: String, person: String? = nil, tabs: [(String, String)] = [])
        -> Response
    {
        let links = tabs.map { path, label in
            "<a href=\"\(path)\"\(label == title ? " aria-current=\"page\"" : "")>\(HTMLText.escaped(label))</a>"
        }
        let bar =
            person.map {
                """
                <header><strong>RepairDesk</strong><nav aria-label="Pages">\(links.joined())</nav>\
                <span>\(HTMLText.escaped($0))</span></header>
                """
            } ?? ""
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(HTMLText.escaped(title))</title>\
            <link rel="stylesheet" href="/assets/desk.css">\(person == nil ? "" : head)</head>\
            <body>\(bar)<main><h1>\(HTMLText.escaped(title))</h1>\(body)</main></body></html>
            """
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    /// A button that posts.
    ///
    /// - Parameter thing: the thing that the button is for. A screen reader reads it, because several buttons
    ///   have the same label.
    func button(_ label: String, _ path: String, _ look: String = "", of thing: String? = nil) -> String {
        let name = thing.map { " aria-label=\"\(HTMLText.escaped("\(label): \($0)"))\"" } ?? ""
        return """
            <form method="post" action="\(path)"><button class="\(look)"\(name)>\(HTMLText.escaped(label))</button></form>
            """
    }

    func note(_ text: String?) -> String {
        text.map { "<p class=\"note\" role=\"status\">\(HTMLText.escaped($0))</p>" } ?? ""
    }

    // MARK: Signing in

    func roles(_ hint: String?) -> Response {
        page(
            "RepairDesk",
            """
            <p>Who are you?</p><p><a class="button" href="/login/staff">I work here</a></p>\
            <p><a class="button" href="/login/customer">I brought something to be repaired</a></p>\(note(hint))
            """
        )
    }

    func address(_ role: DeskRole, _ message: String? = nil) -> Response {
        page(
            role == .staff ? "Staff" : "Customers",
            """
            \(note(message))<form method="post" action="/login/\(role.word)">\
            <label>Email <input name="email" type="email" autocomplete="email" required autofocus></label>\
            <button class="main">Send Code</button></form><p><a href="/login">Back</a></p>
            """
        )
    }

    func code(_ role: DeskRole, _ email: String, _ request: String, _ message: String?) -> Response {
        page(
            "Enter the Code",
            """
            \(note(message))<form method="post" action="/login/\(role.word)/code">\
            <input type="hidden" name="email" value="\(HTMLText.escaped(email))">\
            <input type="hidden" name="request" value="\(HTMLText.escaped(request))">\
            <label>Code from the mail <input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>\
            <button class="main">Sign In</button></form><p><a href="/login">Back</a></p>
            """
        )
    }

    // MARK: Signed in

    static let tabs = [("/", "Repairs"), ("/customers", "Customers"), ("/settings", "Settings")]

    func repairs(_ repairs: [Repair], _ person: String) -> Response {
        let rows = repairs.map { repair in
            let next =
                repair.stage == .handedOut
                ? "" : button("Next", "/repairs/\(repair.number)/advance", of: repair.thing)
            return """
                <tr role="row"><td role="cell">\(repair.number)</td>\
                <td role="cell" class="what">\(HTMLText.escaped(repair.thing))</td>\
                <td role="cell">\(HTMLText.escaped(repair.customer))</td><td role="cell">\(repair.stage.rawValue)</td>\
                <td role="cell" class="next">\(next)</td></tr>
                """
        }
        let body = """
            <table role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader">No.</th>\
            <th role="columnheader">What</th><th role="columnheader">Whose</th><th role="columnheader">Stage</th>\
            <th role="columnheader">Go on</th></tr></thead>\
            <tbody role="rowgroup">\(rows.joined())</tbody></table>
            """
        return page("Repairs", body, person: person, tabs: Self.tabs)
    }

    func customers(_ repairs: [Repair], _ person: String) -> Response {
        let customers = Dictionary(grouping: repairs, by: \.customer).sorted { $0.key < $1.key }
        let items = customers.map { "<li>\(HTMLText.escaped($0)): \($1.count)</li>" }
        return page("Customers", "<ul>\(items.joined())</ul>", person: person, tabs: Self.tabs)
    }

    func settings(_ person: String) -> Response {
        let body = """
            <p><a class="button" href="/_lock/security?next=/settings">Security</a></p>\
            <p><a class="button" href="/_lock/screen/\(DeskGoal.screen)?next=/settings">App Lock</a></p>\
            \(button("Lock Now", "/_lock/lock"))\(button("Log Out", "/logout", "danger"))
            """
        return page("Settings", body, person: person, tabs: Self.tabs)
    }

    func portal(_ repairs: [Repair], _ customer: String) -> Response {
        let own = repairs.filter { $0.customer == customer }
        let items = own.map { "<li>\(HTMLText.escaped($0.thing)): \($0.stage.rawValue)</li>" }
        let list = own.isEmpty ? "<p>There is nothing of yours here.</p>" : "<ul>\(items.joined())</ul>"
        return page("Your Repairs", list + button("Log Out", "/logout", "danger"), person: customer)
    }

    func quarantine(_ reason: String, _ person: String) -> Response {
        page(
            "Your account was put aside",
            "<p>\(HTMLText.escaped(reason))</p>\(button("Log Out", "/logout", "danger"))",
            person: person
        )
    }
}
