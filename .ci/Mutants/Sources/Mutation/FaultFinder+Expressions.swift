import SwiftSyntax

extension FaultFinder {
    func infix(_ node: InfixOperatorExprSyntax) {
        guard let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return }
        let (left, right) = (text(node.leftOperand), text(node.rightOperand))
        switch name {
        case "==", "!=":
            negate(node, .equality, after: "\(left) \(name == "==" ? "!=" : "==") \(right)")
        case "??":
            choose(node, .fallback, or: right)
        case "..<":
            guard !right.contains("\n") else { return }
            surround(
                node.rightOperand,
                .range,
                shown: text(node),
                after: "\(left)..<(\(right)) + 1",
                opening: "((",
                closing: ") + (\(Fault.isOn) ? 1 : 0))"
            )
        default:
            guard let (kind, other) = Self.others[name] else { return }
            // Text and lists are put together with `+` too, and have no `-`.
            if kind == .arithmetic, (left + right).contains(where: { "\"[".contains($0) }) { return }
            choose(node, kind, or: "\(left) \(other) \(right)")
        }
    }

    private static let others: [String: (Fault.Kind, String)] = [
        "<": (.comparison, "<="), "<=": (.comparison, "<"), ">": (.comparison, ">="),
        ">=": (.comparison, ">"),
        "&&": (.logic, "||"), "||": (.logic, "&&"),
        "+": (.arithmetic, "-"), "-": (.arithmetic, "+"), "*": (.arithmetic, "/"), "/": (.arithmetic, "*"),
        "&+": (.arithmetic, "&-"), "&-": (.arithmetic, "&+"),
        "<<": (.arithmetic, ">>"), ">>": (.arithmetic, "<<"), "|": (.arithmetic, "&"),
        "&": (.arithmetic, "|"),
    ]

    func integer(_ node: IntegerLiteralExprSyntax) {
        let digits = text(node).filter { $0 != "_" }
        let value =
            switch digits.prefix(2) {
            case "0x": UInt64(digits.dropFirst(2), radix: 16)
            case "0b": UInt64(digits.dropFirst(2), radix: 2)
            case "0o": UInt64(digits.dropFirst(2), radix: 8)
            default: UInt64(digits)
            }
        guard let value, value < .max else { return }
        choose(node, .literal, or: "\(value + 1)")
    }

    func extreme(_ node: FunctionCallExprSyntax) {
        let others = ["min": "max", "max": "min"]
        guard let other = others[node.calledName] else { return }
        let arguments = "(" + text(node.arguments) + ")" + (node.trailingClosure.map { " " + text($0) } ?? "")
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base {
            choose(node, .extreme, or: "\(text(base)).\(other)\(arguments)")
        } else if node.calledExpression.is(DeclReferenceExprSyntax.self) {
            choose(node, .extreme, or: other + arguments)
        }
    }

    func end(_ node: MemberAccessExprSyntax) {
        let others = ["first": "last", "last": "first"]
        // A call of `first(where:)` is another thing, and what is assigned to needs a place.
        guard let base = node.base, let other = others[node.declName.baseName.text],
            node.parent?.is(FunctionCallExprSyntax.self) != true,
            node.parent?.is(MemberAccessExprSyntax.self) != true
        else { return }
        choose(node, .end, or: "\(text(base)).\(other)")
    }

    /// The opposite of what an expression says.
    func condition(_ node: ExprSyntax) {
        let inner = node.withoutEffects
        // An (in)equality is a kind of its own.
        if let name = inner.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self)?
            .operator.text,
            ["==", "!="].contains(name)
        {
            return
        }
        negate(inner, .negation, after: "!(\(text(inner)))")
    }

    func negate(_ node: some SyntaxProtocol, _ kind: Fault.Kind, shown: String? = nil, after: String) {
        surround(node, kind, shown: shown, after: after, opening: "(\(Fault.isOn) != (", closing: "))")
    }

    /// What a function of a condition or of an optional answers.
    func answer(_ node: ExprSyntax, of statement: Syntax) {
        let inner = node.withoutEffects
        guard let type = statement.answeredType else { return }
        if type.is(OptionalTypeSyntax.self) {
            guard !inner.is(NilLiteralExprSyntax.self) else { return }
            surround(inner, .nothing, after: "nil", opening: "(\(Fault.isOn) ? nil : (", closing: "))")
        } else if type.trimmedDescription == "Bool", !inner.is(BooleanLiteralExprSyntax.self),
            !inner.is(InfixOperatorExprSyntax.self), !inner.is(PrefixOperatorExprSyntax.self)
        {
            negate(inner, .answer, after: "!(\(text(inner)))")
        }
    }
}

extension FunctionCallExprSyntax {
    /// The last part of the name of what is called.
    var calledName: String {
        if let member = calledExpression.as(MemberAccessExprSyntax.self) {
            return member.declName.baseName.text
        }
        return calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text ?? ""
    }
}

extension ExprSyntaxProtocol {
    /// The expression that `try`, `await` and `unsafe` stand before: those cover what is put around it too.
    var withoutEffects: ExprSyntax {
        let node = ExprSyntax(self)
        if let node = node.as(TryExprSyntax.self) { return node.expression.withoutEffects }
        if let node = node.as(AwaitExprSyntax.self) { return node.expression.withoutEffects }
        if let node = node.as(UnsafeExprSyntax.self) { return node.expression.withoutEffects }
        return node
    }

    /// Whether it is the whole of a condition, with nothing but effects before it.
    var isCondition: Bool {
        guard let parent else { return false }
        if parent.is(ConditionElementSyntax.self) || parent.is(WhereClauseSyntax.self) { return true }
        if parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self)
            || parent.is(UnsafeExprSyntax.self),
            let parent = parent.as(ExprSyntax.self)
        {
            return parent.isCondition
        }
        return parent.as(TernaryExprSyntax.self)?.condition.id == id
    }
}
