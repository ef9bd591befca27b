internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// The login. It asks for an address, and then for the code that was mailed to it.
struct LoginScreen: ScreenModel {
    /// An event of the screen.
    enum Event: Sendable {
        case input(ScreenInput)
        /// A code was mailed, if the address is known. This identifier has to be sent back with the code.
        case sent(AccountCodeRequest)
        case failed(String)
    }

    /// An effect that the screen requests.
    enum Effect: Sendable, Hashable {
        /// Answer with ``Event/sent(_:)``.
        case requestCode(address: String)
        /// Sign in. After success the screen is closed.
        case signIn(address: String, code: String, request: AccountCodeRequest)
        /// Leave, so that the person can choose another role.
        case leave
    }

    private static let longestAddress = 254
    private static let codeLength = 6

    private let role: DeskRole
    private var address = ""
    private var code = ""
    /// The request that the code was sent for; `nil` before a code was sent.
    private var request: AccountCodeRequest?
    private var isAskingCode: Bool { request != nil }
    private var message: ScreenMessage?
    private var isBusy = false

    init(role: DeskRole, message: ScreenMessage? = nil) { (self.role, self.message) = (role, message) }

    var content: PageContent {
        var content = PageContent(title: role == .staff ? "Staff Login" : "Customer Login")
        if isAskingCode {
            content.text = ["Enter the code that was mailed to \(address)."]
            content.field = PageContent.Field(label: "Code", text: code)
            content.actions = [.init(.done, "Sign In"), .init(.resend, "Send Another Code")]
        } else {
            content.text = ["A code to sign in with will be mailed to you."]
            content.field = PageContent.Field(label: "Mail address", text: address)
            content.actions = [.init(.done, "Send Code")]
        }
        content.actions.append(.init(.back, "Back"))
        content.message = message
        content.isBusy = isBusy
        return content
    }

    mutating func handle(_ event: Event, at moment: Moment) -> [Effect] {
        switch event {
        case .sent(let sent):
            (isBusy, request, code) = (false, sent, "")
        case .failed(let text):
            (isBusy, code) = (false, "")
            message = ScreenMessage(.error, text)
        case .input(let input) where !isBusy:
            return take(input)
        case .input: break
        }
        return []
    }

    private mutating func take(_ input: ScreenInput) -> [Effect] {
        switch input {
        case .character(let scalar): type(scalar)
        case .delete: if isAskingCode { _ = code.popLast() } else { _ = address.popLast() }
        case .submit, .activate(.done): return submit()
        case .activate(.resend) where isAskingCode: return ask()
        case .activate(.back):
            guard isAskingCode else { return [.leave] }
            (request, message) = (nil, nil)
        default: break
        }
        return []
    }

    private mutating func type(_ scalar: Unicode.Scalar) {
        message = nil
        if isAskingCode {
            if ("0"..."9").contains(scalar), code.count < Self.codeLength {
                code.unicodeScalars.append(scalar)
            }
        } else if scalar.isASCII, scalar != " ", address.utf8.count < Self.longestAddress {
            address.unicodeScalars.append(scalar)
        }
    }

    private mutating func submit() -> [Effect] {
        guard let request else { return ask() }
        guard code.count == Self.codeLength else {
            message = ScreenMessage(.error, "The code has six digits.")
            return []
        }
        isBusy = true
        return [.signIn(address: address, code: code, request: request)]
    }

    private mutating func ask() -> [Effect] {
        guard address.contains("@") else {
            message = ScreenMessage(.error, "Enter your mail address.")
            return []
        }
        (isBusy, message) = (true, nil)
        return [.requestCode(address: address)]
    }
}
