// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The functions are those that swift-syntax asks for.

import SwiftSyntax
import SwiftSyntaxMacros

/// Writes the list of properties that a model class stores.
///
/// The properties stay as they are. Their types are asked of the compiler, as the class declares them or by key path.
public struct ModelMacro: MemberMacro, ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let type = declaration.as(ClassDeclSyntax.self) else {
      throw MacroError("@Model can only be attached to a class.")
    }
    // A subclass of a model conforms already, so that it overrides what its superclass has.
    let declaresConformance =
      type.inheritanceClause?.inheritedTypes.contains {
        $0.type.trimmedDescription.split(separator: ".").last == "PersistentModel"
      } ?? false
    let prefix = protocols.isEmpty && !declaresConformance ? "public override class var" : "public class var"
    let name = type.name.trimmedDescription
    let members = type.memberBlock.members
    let metadata = try StoredProperty.statements(for: members, in: name)
    let uses = members.compactMap { $0.decl.as(MacroExpansionDeclSyntax.self) }
    let storage = context.hasStores ? StorageMembers.all(isSubclass: prefix.contains("override")) : []
    return storage + [
      """
      \(raw: prefix) schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
        let list = SwiftData.Schema.PropertyList()
        \(raw: metadata.joined(separator: "\n  "))
        return list.properties
      }
      """,
      """
      \(raw: prefix) schemaKeyPaths: [SwiftData.Schema.KeyPathList] {
        [\(raw: uses.flatMap(KeyPathLists.all).joined(separator: ", "))]
      }
      """,
    ]
  }

  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.PersistentModel {}")]
  }
}

extension ModelMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard context.hasStores, let variable = member.as(VariableDeclSyntax.self),
      try !StoredProperty.all(in: variable).isEmpty
    else { return [] }
    return ["@SwiftData._StoredProperty"]
  }
}

/// A property with storage of its own, as it stands in the source.
private struct StoredProperty {
  let name: String
  /// The type, if it is declared.
  let type: String?
  let initializer: ExprSyntax?
  let attributes: AttributeListSyntax

  /// The statements that add the properties of some members, under the same conditions.
  static func statements(for members: MemberBlockItemListSyntax, in type: String) throws -> [String] {
    try members.flatMap { member in
      if let declaration = member.decl.as(VariableDeclSyntax.self) {
        return try all(in: declaration).map { $0.statement(in: type) }
      }
      guard let condition = member.decl.as(IfConfigDeclSyntax.self) else { return [] }
      return try condition.clauses.flatMap { clause in
        ["\(clause.poundKeyword.text) \(clause.condition?.trimmedDescription ?? "")"]
          + (try clause.elements?.as(MemberBlockItemListSyntax.self).map { try statements(for: $0, in: type) } ?? [])
      } + ["#endif"]
    }
  }

  static func all(in declaration: VariableDeclSyntax) throws -> [StoredProperty] {
    let modifiers = declaration.modifiers.map(\.name.text)
    guard !["static", "class", "lazy"].contains(where: modifiers.contains) else { return [] }
    guard declaration.attributes.named("Transient") == nil else { return [] }
    return try declaration.bindings.compactMap { binding in
      if let tuple = binding.pattern.as(TuplePatternSyntax.self) {
        throw MacroError("@Model needs a declaration of its own for each property of '\(tuple.trimmedDescription)'.")
      }
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self), !binding.isComputed else { return nil }
      return StoredProperty(
        name: pattern.identifier.text, type: binding.typeText(in: declaration), initializer: binding.initializer?.value,
        attributes: declaration.attributes)
    }
  }

  /// The statement that describes the property to the schema.
  func statement(in type: String) -> String {
    let plain = name.filter { $0 != "`" }
    // A key path costs the compiler several times as much as a type.
    let typeText = self.type.map { "(\($0)).self" } ?? "keypath: \\\(type).\(name)"
    var text = "list.add(\"\(plain)\", \(typeText)"
    if let initializer, initializer.isConstant {
      text += ", defaultValue: \(initializer.trimmedDescription)\(self.type.map { " as \($0)" } ?? "")"
    }
    for kind in ["Attribute", "Relationship"] {
      guard let attribute = attributes.named(kind) else { continue }
      text += ", metadata: SwiftData.Schema.\(kind)(\(attribute.argumentText))"
      if let path = attribute.argument("inverse")?.as(KeyPathExprSyntax.self)?.names.last {
        text += ", inverseName: \"\(path)\""
      }
    }
    return text + ")"
  }
}

/// The lists of `#Unique` and `#Index`, of which the names count.
private enum KeyPathLists {
  static func all(_ use: MacroExpansionDeclSyntax) -> [String] {
    let kind = use.macroName.text
    guard kind == "Unique" || kind == "Index" else { return [] }
    return use.arguments.compactMap { argument in
      var (expression, form) = (argument.expression, "binary")
      // An index may say how it is kept: `.rtree([\.place])`.
      if let call = expression.as(FunctionCallExprSyntax.self) {
        form = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? form
        guard let first = call.arguments.first else { return nil }
        expression = first.expression
      }
      guard let array = expression.as(ArrayExprSyntax.self) else { return nil }
      let paths = array.elements.compactMap { element in
        element.expression.as(KeyPathExprSyntax.self).map { "[\"\($0.names.joined(separator: "\", \""))\"]" }
      }
      return "SwiftData.Schema.KeyPathList(.\(kind == "Unique" ? "unique" : form), [\(paths.joined(separator: ", "))])"
    }
  }
}

extension AttributeListSyntax {
  fileprivate func named(_ name: String) -> AttributeSyntax? {
    compactMap { $0.as(AttributeSyntax.self) }.first {
      $0.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) == name
    }
  }
}

extension AttributeSyntax {
  fileprivate var argumentText: String { arguments?.trimmedDescription ?? "" }

  fileprivate func argument(_ label: String) -> ExprSyntax? {
    arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?.expression
  }
}

extension KeyPathExprSyntax {
  /// The names of the properties on the path: optional chaining and unwrapping have none.
  fileprivate var names: [String] {
    components.compactMap {
      $0.component.as(KeyPathPropertyComponentSyntax.self)?.declName.baseName.text.filter { $0 != "`" }
    }
  }
}

extension PatternBindingSyntax {
  /// The declared type, which one binding may take from the next, as in `var a, b: Int`; `nil` if a key path is needed.
  fileprivate func typeText(in declaration: VariableDeclSyntax) -> String? {
    let bindings = declaration.bindings.drop { $0.id != id }
    guard let type = bindings.first(where: { $0.typeAnnotation != nil || $0.initializer != nil })?.typeAnnotation?.type,
      !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    else { return nil }
    return type.trimmedDescription
  }

  /// Whether the binding has a getter; observers leave a property stored.
  fileprivate var isComputed: Bool {
    guard let accessors = accessorBlock?.accessors else { return false }
    guard case .accessors(let list) = accessors else { return true }
    return list.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }
}

extension ExprSyntax {
  /// Whether the expression has a value without the app's own code, so that it may be a default value of the schema.
  fileprivate var isConstant: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr: return true
    case .stringLiteralExpr:
      return self.as(StringLiteralExprSyntax.self)?.segments.allSatisfy { $0.is(StringSegmentSyntax.self) } ?? false
    case .prefixOperatorExpr:
      return self.as(PrefixOperatorExprSyntax.self)?.expression.isConstant ?? false
    default:
      return ["UUID()", "UUID.init()", "Date()", "Date.init()", "Date.now", ".now"].contains(trimmedDescription)
    }
  }
}
