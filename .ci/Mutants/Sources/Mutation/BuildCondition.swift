import SwiftSyntax

/// Whether a branch of `#if` is compiled on this machine.
enum BuildCondition {
    #if os(Linux)
    private static let met: Set = [
        "os(Linux)", "canImport(Glibc)", "canImport(FoundationEssentials)", "canImport(FoundationNetworking)",
    ]
    #else
    private static let met: Set = ["os(macOS)", "canImport(Darwin)", "canImport(Security)"]
    #endif

    /// What is not known does not hold: a fault that is compiled out would survive every test.
    static func holds(_ condition: ExprSyntax?) -> Bool {
        guard let condition else { return true }
        if let infix = condition.as(InfixOperatorExprSyntax.self) {
            return switch infix.operator.trimmedDescription {
            case "||": holds(infix.leftOperand) || holds(infix.rightOperand)
            case "&&": holds(infix.leftOperand) && holds(infix.rightOperand)
            default: false
            }
        }
        if let prefix = condition.as(PrefixOperatorExprSyntax.self), prefix.operator.text == "!" {
            return !holds(prefix.expression)
        }
        return met.contains(condition.trimmedDescription)
    }
}
