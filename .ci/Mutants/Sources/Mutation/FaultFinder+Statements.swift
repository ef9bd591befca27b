import SwiftSyntax

extension FaultFinder {
    /// A call or an assignment that does not happen.
    func removed(_ node: CodeBlockItemSyntax) {
        guard case .expr(let expression) = node.item else { return }
        let inner = expression.withoutEffects
        if let call = inner.as(FunctionCallExprSyntax.self) {
            // A hint, without which all is as before.
            if call.calledName == "reserveCapacity" { return }
            // `.seconds(1)` is a value, and so is mostly the only expression of a closure.
            if call.calledExpression.as(MemberAccessExprSyntax.self).map({ $0.base == nil }) == true {
                return
            }
            if let list = node.parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
                list.parent?.is(ClosureExprSyntax.self) == true
            {
                return
            }
            // What is the only expression of a body is mostly its value.
            if let type = Syntax(node).implicitlyAnsweredType, type.trimmedDescription != "Void" {
                return answer(expression, of: Syntax(node))
            }
            remove(node, .removedCall)
        } else if let infix = inner.as(InfixOperatorExprSyntax.self) {
            if infix.operator.is(AssignmentExprSyntax.self) {
                let isDiscarded = infix.leftOperand.is(DiscardAssignmentExprSyntax.self)
                remove(node, isDiscarded ? .removedCall : .removedAssignment)
            } else if let name = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text,
                let other = Self.otherAssignments[name],
                // Text and lists have no `-=`, and what is of several lines cannot stand there twice.
                !text(node).contains(where: { "\n\"[".contains($0) })
            {
                let swapped = "\(text(infix.leftOperand)) \(other) \(text(infix.rightOperand))"
                surround(
                    node,
                    .arithmetic,
                    after: swapped,
                    opening: "if \(Fault.isOn) { \(swapped) } else { ",
                    closing: " }"
                )
            }
        } else if Syntax(node).implicitlyAnsweredType != nil {
            answer(expression, of: Syntax(node))
        }
    }

    private static let otherAssignments = [
        "+=": "-=", "-=": "+=", "*=": "/=", "&+=": "&-=", "&-=": "&+=", "|=": "&=", "&=": "|=", "<<=": ">>=",
        ">>=": "<<=",
    ]

    private func remove(_ node: some SyntaxProtocol, _ kind: Fault.Kind) {
        surround(node, kind, after: "(nothing)", opening: "if !\(Fault.isOn) { ", closing: " }")
    }

    /// A branch that is left out, whatever its conditions say.
    func skipped(_ node: IfExprSyntax) {
        let end = range(node.conditions).upperBound
        add(
            end..<end,
            .skippedBranch,
            before: "if \(text(node.conditions))",
            after: "if false",
            opening: ", !\(Fault.isOn)",
            closing: ""
        )
    }

    /// A condition of a `guard` that lets everything through.
    func letThrough(_ node: ExprSyntax) {
        let inner = node.withoutEffects
        surround(
            inner,
            .skippedGuard,
            shown: "guard \(text(inner))",
            after: "guard true",
            opening: "(\(Fault.isOn) || (",
            closing: "))"
        )
    }

    /// `continue` for `break`, and the other way round.
    func jump(_ node: some StmtSyntaxProtocol, label: TokenSyntax?) {
        guard label != nil || jumpTargets.last == .loop else { return }
        let label = label.map { " " + $0.text } ?? ""
        let other = (node.is(ContinueStmtSyntax.self) ? "break" : "continue") + label
        surround(node, .jump, after: other, opening: "if \(Fault.isOn) { \(other) } else { ", closing: " }")
    }
}

extension Syntax {
    /// What the function around a `return` answers; nil for nothing, and inside of a closure.
    var answeredType: TypeSyntax? {
        var node = parent
        while let current = node {
            if current.is(ClosureExprSyntax.self) || current.is(InitializerDeclSyntax.self) { return nil }
            if let function = current.as(FunctionDeclSyntax.self) {
                return function.signature.returnClause?.type
            }
            if let subscripted = current.as(SubscriptDeclSyntax.self) { return subscripted.returnClause.type }
            if let accessor = current.as(AccessorDeclSyntax.self), accessor.accessorSpecifier.text != "get" {
                return nil
            }
            if let binding = current.as(PatternBindingSyntax.self), binding.accessorBlock != nil {
                return binding.typeAnnotation?.type
            }
            node = current.parent
        }
        return nil
    }

    /// What the body answers whose only statement this is; nil where it is not the only one, or the body answers nothing.
    var implicitlyAnsweredType: TypeSyntax? {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let owner = list.parent
        else {
            return nil
        }
        // A branch's only statement is not the function's.
        if owner.is(AccessorBlockSyntax.self) { return answeredType }
        guard let body = owner.as(CodeBlockSyntax.self), let outer = body.parent,
            outer.is(FunctionDeclSyntax.self) || outer.is(AccessorDeclSyntax.self)
        else { return nil }
        return answeredType
    }
}
