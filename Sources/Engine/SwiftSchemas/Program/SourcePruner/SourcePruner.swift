import Foundation
import SwiftParser
import SwiftSyntax

/// Takes code out of a file that does not compile and that no schema depends on.
///
/// The arguments are the file, the file to write, and the errors as `line:column text`. Functions lose their bodies, and
/// declarations that name what is not there disappear; all lines keep their numbers. A type that does not compile leaves
/// its name, so that no other type of that name takes its place. The places at which nothing can be taken out, such as a
/// stored property of a model, are printed.
@main
struct SourcePruner {
  static func main() throws {
    let words = CommandLine.arguments
    let text = try String(contentsOfFile: words[1], encoding: .utf8)
    let tree = Parser.parse(source: text)
    let converter = SourceLocationConverter(fileName: words[1], tree: tree)
    var cuts: [Range<Int>: String] = [:]
    for word in words.dropFirst(3) {
      let parts = word.split(separator: " ", maxSplits: 1).map { String($0) }
      let place = parts[0]
      let numbers = place.split(separator: ":").compactMap { Int($0) }
      let position = converter.position(ofLine: numbers[0], column: numbers[1])
      let mark = "\(URL(fileURLWithPath: words[2]).lastPathComponent):\(place)"
      guard let token = tree.token(at: position), let cut = Cut(at: token, mark: mark, error: parts.last ?? "")
      else {
        print(place)
        continue
      }
      cuts[cut.range] = cut.replacement
    }
    // A range within another one goes with it.
    let outer = cuts.filter { range, _ in !cuts.keys.contains { $0 != range && $0.contains(range.lowerBound) } }
    var bytes = Array(text.utf8)
    for (range, replacement) in outer.sorted(by: { $0.key.lowerBound > $1.key.lowerBound }) {
      let newlines = bytes[range].filter { $0 == UInt8(ascii: "\n") }
      bytes.replaceSubrange(range, with: Array(replacement.utf8) + newlines)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: words[2]))
  }
}

/// The code that goes because of an error in it, and its replacement.
private struct Cut {
  let range: Range<Int>
  let replacement: String

  /// - Parameters:
  ///   - mark: What the compiler says where a type is used that is left out.
  ///   - error: What the program says where a body is called that is left out.
  /// - Returns: `nil` if a schema may depend on the code.
  init?(at token: TokenSyntax, mark: String, error: String) {
    if let module = Self.module(error), let qualifier = Self.qualifier(token, module) {
      self.init(qualifier.start, qualifier.end, replacement: "")
      return
    }
    var node = Syntax(token)
    while let parent = node.parent {
      // An import of a part of a module, and `@objc`.
      if node.is(ImportDeclSyntax.self)
        || node.is(AttributeSyntax.self) && error.contains("Objective-C interoperability is disabled")
      {
        self.init(node, replacement: "")
        return
      }
      if let body = Self.body(node), let isPart = Self.isOfSchema(node) {
        guard !isPart else { return nil }
        // A closure has as many parameters as it uses.
        let parameter = body.tokens(viewMode: .sourceAccurate).map(\.text).filter { $0.hasPrefix("$") }.max()
        let text = "This code was left out, since it does not compile here: \(error)"
        self.init(
          body, replacement: (parameter.map { " _ = \($0);" } ?? "") + " Swift.fatalError(\(Self.literal(text))) ")
        return
      }
      // All but the first are protocols, of which no schema depends on one that is not here.
      if let inherited = node.as(InheritedTypeSyntax.self), let comma = Self.comma(before: inherited) {
        self.init(comma.positionAfterSkippingLeadingTrivia, inherited.type.endPosition, replacement: " ")
        return
      }
      // Such as `#Preview`.
      if node.is(MacroExpansionExprSyntax.self) || node.is(MacroExpansionDeclSyntax.self), Self.isGlobal(node) {
        self.init(node, replacement: "")
        return
      }
      // A type goes with what it stores; a model and a schema stay.
      if let declaration = Self.declaration(node) {
        if let clause = Self.conformances(declaration) {
          self.init(Syntax(clause), replacement: " ")
          return
        }
        // With the semicolon behind it.
        self.init(node, replacement: Self.replacement(of: declaration, mark: mark))
        return
      }
      node = parent
    }
    return nil
  }

  /// The module that an error says has no such type or function: an app's own, since all its files are one here.
  private static func module(_ error: String) -> Substring? {
    for (start, end) in [(" in module '", "'"), ("module '", "' has no member named ")] {
      let parts = error.split(separator: start, maxSplits: 1)
      if parts.count == 2 || error.hasPrefix(start), let name = parts.last?.split(separator: end).first { return name }
    }
    return nil
  }

  /// The name of the module with its dot, before or at a token.
  private static func qualifier(
    _ token: TokenSyntax, _ module: Substring
  ) -> (start: AbsolutePosition, end: AbsolutePosition)? {
    var node = Syntax(token)
    for _ in 0..<3 {
      guard let parent = node.parent else { return nil }
      node = parent
      let type = node.as(MemberTypeSyntax.self).map { (Syntax($0.baseType), $0.period) }
      let value = node.as(MemberAccessExprSyntax.self).flatMap { access in
        access.base.map { (Syntax($0), access.period) }
      }
      guard let (base, period) = type ?? value, base.trimmedDescription == module else { continue }
      return (base.positionAfterSkippingLeadingTrivia, period.endPosition)
    }
    return nil
  }

  /// A text as Swift source.
  private static func literal(_ text: String) -> String {
    "\"\(text.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined())\""
  }

  private init(_ node: Syntax, replacement: String) {
    self.init(
      node.positionAfterSkippingLeadingTrivia, node.endPositionBeforeTrailingTrivia, replacement: replacement)
  }

  private init(_ start: AbsolutePosition, _ end: AbsolutePosition, replacement: String) {
    range = start.utf8Offset..<end.utf8Offset
    self.replacement = replacement
  }

  /// A class keeps an initializer, of which no two have one name, and a type its name; what was put in the place of one
  /// goes.
  private static func replacement(of declaration: DeclSyntax, mark: String) -> String {
    if declaration.is(InitializerDeclSyntax.self), !declaration.description.contains("leftOut") {
      return "init(leftOut\(declaration.position.utf8Offset): Swift.Never) { Swift.fatalError() };"
    }
    let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.description ?? ""
    guard let (head, parameters) = head(of: declaration), !attributes.contains("leftOut") else { return "" }
    let names = parameters?.parameters.map(\.name.text).joined(separator: ", ")
    let rest = declaration.is(TypeAliasDeclSyntax.self) ? " = Swift.Never;" : " {};"
    return "@available(*, unavailable, message: \"leftOut \(mark)\") \(head)\(names.map { "<\($0)>" } ?? "")\(rest)"
  }

  /// The beginning of a type's declaration with its name, and the parameters of a generic one.
  private static func head(of declaration: DeclSyntax) -> (String, GenericParameterClauseSyntax?)? {
    let parts: (DeclModifierListSyntax, TokenSyntax, TokenSyntax, GenericParameterClauseSyntax?)
    switch declaration.as(DeclSyntaxEnum.self) {
    case .structDecl(let type): parts = (type.modifiers, type.structKeyword, type.name, type.genericParameterClause)
    case .enumDecl(let type): parts = (type.modifiers, type.enumKeyword, type.name, type.genericParameterClause)
    case .classDecl(let type): parts = (type.modifiers, type.classKeyword, type.name, type.genericParameterClause)
    case .actorDecl(let type): parts = (type.modifiers, type.actorKeyword, type.name, type.genericParameterClause)
    case .typeAliasDecl(let type):
      parts = (type.modifiers, type.typealiasKeyword, type.name, type.genericParameterClause)
    default: return nil
    }
    // Files may each have a private type of one name.
    let access = parts.0.map(\.name.text).filter { ["private", "fileprivate", "public", "package"].contains($0) }
    return ((access + [parts.1.text, parts.2.text]).joined(separator: " "), parts.3)
  }

  /// The protocols that an extension adds, if it also has types, which are of use without them.
  private static func conformances(_ declaration: DeclSyntax) -> InheritanceClauseSyntax? {
    guard let node = declaration.as(ExtensionDeclSyntax.self) else { return nil }
    return node.memberBlock.members.contains { head(of: $0.decl) != nil } ? node.inheritanceClause : nil
  }

  /// The statements of a function, an accessor or a closure of a stage.
  private static func body(_ node: Syntax) -> Syntax? {
    guard let list = node.as(CodeBlockItemListSyntax.self), let parent = node.parent else { return nil }
    guard parent.is(CodeBlockSyntax.self) || parent.is(AccessorBlockSyntax.self) || parent.is(ClosureExprSyntax.self)
    else { return nil }
    let owner = parent.is(CodeBlockSyntax.self) ? parent.parent : parent
    let kinds: [SyntaxKind] = [
      .functionDecl, .initializerDecl, .deinitializerDecl, .accessorDecl, .accessorBlock, .closureExpr,
    ]
    return owner.map { kinds.contains($0.kind) } == true ? Syntax(list) : nil
  }

  /// Whether a body says what a schema is: those of `models`, `schemas`, `stages` and `versionIdentifier`.
  private static func isOfSchema(_ body: Syntax) -> Bool? {
    var node: Syntax? = body.parent
    while let current = node {
      if current.is(ClosureExprSyntax.self) || current.is(FunctionDeclSyntax.self) { return false }
      if let variable = current.as(VariableDeclSyntax.self) { return isOfSchema(variable) }
      node = current.parent
    }
    return false
  }

  private static func isOfSchema(_ variable: VariableDeclSyntax) -> Bool {
    let names = variable.bindings.map(\.pattern.trimmedDescription)
    return names.contains { ["models", "schemas", "stages", "versionIdentifier"].contains($0) }
  }

  private static func comma(before inherited: InheritedTypeSyntax) -> TokenSyntax? {
    guard let list = inherited.parent?.as(InheritedTypeListSyntax.self), let index = list.index(of: inherited),
      index != list.startIndex
    else { return nil }
    return list[list.index(before: index)].trailingComma
  }

  /// Whether code stands directly in the file.
  private static func isGlobal(_ node: Syntax) -> Bool {
    let item = node.is(CodeBlockItemSyntax.self) ? node : node.parent
    return item?.is(CodeBlockItemSyntax.self) == true && item?.parent?.parent?.is(SourceFileSyntax.self) == true
  }

  /// The declaration of an item, if no schema depends on it.
  private static func declaration(_ item: Syntax) -> DeclSyntax? {
    let isGlobal = isGlobal(item)
    let global = isGlobal ? item.as(CodeBlockItemSyntax.self)?.item.as(DeclSyntax.self) : nil
    guard let declaration = item.as(MemberBlockItemSyntax.self)?.decl ?? global else { return nil }
    if let variable = declaration.as(VariableDeclSyntax.self) {
      if isOfSchema(variable) { return nil }
      let isStatic = variable.modifiers.contains { ["static", "class"].contains($0.name.text) }
      let isComputed = variable.bindings.allSatisfy { $0.accessorBlock != nil }
      return isStatic || isComputed || isGlobal ? declaration : nil
    }
    if declaration.is(EnumCaseDeclSyntax.self) || declaration.is(MacroExpansionDeclSyntax.self) { return nil }
    return holdsSchema(Syntax(declaration)) ? nil : declaration
  }

  /// Whether a declaration is a model, a version or a plan, or has one within it.
  private static func holdsSchema(_ node: Syntax) -> Bool {
    if let type = node.asProtocol((any DeclGroupSyntax).self) {
      let attributes = type.attributes.map(\.trimmedDescription)
      let inherited = type.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
      if attributes.contains(where: { $0 == "@Model" || $0.hasPrefix("@SwiftData.Model") }) { return true }
      if inherited.contains(where: { $0.hasSuffix("VersionedSchema") || $0.hasSuffix("SchemaMigrationPlan") }) {
        return true
      }
    }
    return node.children(viewMode: .sourceAccurate).contains { holdsSchema($0) }
  }
}
