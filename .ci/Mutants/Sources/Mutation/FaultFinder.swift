import SwiftOperators
import SwiftParser
public import SwiftSyntax

/// Finds each place of a source file where a fault of one line can be put in.
///
/// Left out is what cannot change at run time (patterns, raw values, attributes, macros), what is compiled into other
/// modules, text, and code of other systems. That a fault compiles is not known yet.
public final class FaultFinder: SyntaxVisitor {
    let path: String
    private let bytes: [UInt8]
    private let lineStarts: [Int]
    private(set) var faults: [Fault] = []
    /// What a `break` or `continue` without a label would leave, innermost last.
    var jumpTargets: [JumpTarget] = []

    enum JumpTarget { case loop, other }

    /// The faults of a file, in the order of their places.
    ///
    /// - Parameters:
    ///   - source: the file's text.
    ///   - path: its path relative to the root of the package.
    public static func faults(in source: String, path: String) -> [Fault] {
        // An operator that is not of the standard library leaves its expression as it was parsed.
        let folded = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
        let finder = FaultFinder(path: path, source: source)
        finder.walk(folded)
        return finder.faults.sorted {
            ($0.range.lowerBound, $0.range.upperBound, $0.kind.rawValue)
                < ($1.range.lowerBound, $1.range.upperBound, $1.kind.rawValue)
        }
    }

    private init(path: String, source: String) {
        self.path = path
        let bytes = Array(source.utf8)
        self.bytes = bytes
        lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        super.init(viewMode: .sourceAccurate)
    }

    /// The place of a node without the blanks around it.
    func range(_ node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    func text(_ node: some SyntaxProtocol) -> String { String(decoding: bytes[range(node)], as: UTF8.self) }

    private func line(of offset: Int) -> Int {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return low + 1
    }

    /// Puts text around a node; `shown` is what the list of faults shows of it.
    func surround(
        _ node: some SyntaxProtocol,
        _ kind: Fault.Kind,
        shown: String? = nil,
        after: String,
        opening: String,
        closing: String
    ) {
        add(range(node), kind, before: shown ?? text(node), after: after, opening: opening, closing: closing)
    }

    /// One of two expressions, the other one while the fault is switched on.
    ///
    /// An expression of several lines or of great length is left out: it stands there twice, and would take the compiler
    /// long.
    func choose(_ node: some SyntaxProtocol, _ kind: Fault.Kind, or other: String) {
        let text = text(node)
        guard text.utf8.count <= 120, !text.contains("\n"), !other.contains("\n") else { return }
        surround(node, kind, after: other, opening: "(\(Fault.isOn) ? (\(other)) : (", closing: "))")
    }

    func add(
        _ range: Range<Int>,
        _ kind: Fault.Kind,
        before: String,
        after: String,
        opening: String,
        closing: String
    ) {
        let last = max(range.lowerBound, range.upperBound - 1)
        faults.append(
            Fault(
                path: path,
                line: line(of: range.lowerBound),
                lastLine: line(of: last),
                range: range,
                kind: kind,
                before: before,
                after: after,
                opening: opening,
                closing: closing
            )
        )
    }

    // MARK: - What is left out

    override public func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override public func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override public func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override public func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override public func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override public func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override public func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    // A public function's default values are part of its callers.
    override public func visit(_ node: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    override public func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        if let active = node.clauses.first(where: { BuildCondition.holds($0.condition) }),
            let elements = active.elements
        {
            walk(elements)
        }
        return .skipChildren
    }

    // MARK: - Expressions

    override public func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        infix(node)
        return .visitChildren
    }

    override public func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.operator.text == "!", !node.isCondition else { return .visitChildren }
        negate(node.expression, .negation, shown: text(node), after: text(node.expression))
        return .visitChildren
    }

    override public func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        integer(node)
        return .visitChildren
    }

    override public func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        if !node.isCondition { choose(node, .literal, or: node.literal.text == "true" ? "false" : "true") }
        return .visitChildren
    }

    override public func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        condition(node.condition)
        return .visitChildren
    }

    override public func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if ["reserveCapacity", "precondition", "assert", "preconditionFailure", "fatalError"].contains(
            node.calledName
        ) {
            return .skipChildren
        }
        extreme(node)
        return .visitChildren
    }

    override public func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        end(node)
        return .visitChildren
    }

    // MARK: - Statements

    override public func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        removed(node)
        return .visitChildren
    }

    override public func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        for element in node.conditions {
            if case .expression(let expression) = element.condition { condition(expression) }
        }
        skipped(node)
        return .visitChildren
    }

    override public func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        for element in node.conditions {
            if case .expression(let expression) = element.condition { letThrough(expression) }
        }
        return .visitChildren
    }

    override public func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        condition(node.condition)
        return .visitChildren
    }

    override public func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let expression = node.expression { answer(expression, of: Syntax(node)) }
        return .visitChildren
    }

    override public func visit(_ node: DeferStmtSyntax) -> SyntaxVisitorContinueKind {
        surround(
            node.body.statements,
            .removedDefer,
            after: "(nothing)",
            opening: "if !\(Fault.isOn) { ",
            closing: " }"
        )
        return .visitChildren
    }

    override public func visit(_ node: ContinueStmtSyntax) -> SyntaxVisitorContinueKind {
        jump(node, label: node.label)
        return .visitChildren
    }

    override public func visit(_ node: BreakStmtSyntax) -> SyntaxVisitorContinueKind {
        jump(node, label: node.label)
        return .visitChildren
    }

    override public func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind { enter(.loop) }
    override public func visitPost(_ node: ForStmtSyntax) { jumpTargets.removeLast() }
    override public func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { enter(.loop) }
    override public func visitPost(_ node: WhileStmtSyntax) { jumpTargets.removeLast() }
    override public func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind { enter(.loop) }
    override public func visitPost(_ node: RepeatStmtSyntax) { jumpTargets.removeLast() }
    override public func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind { enter(.other) }
    override public func visitPost(_ node: SwitchExprSyntax) { jumpTargets.removeLast() }

    private func enter(_ target: JumpTarget) -> SyntaxVisitorContinueKind {
        jumpTargets.append(target)
        return .visitChildren
    }
}
