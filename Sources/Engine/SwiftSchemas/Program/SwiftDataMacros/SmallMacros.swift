// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The functions are those that swift-syntax asks for.

import SwiftSyntax
import SwiftSyntaxMacros

/// Marks a property for `@Model`, which reads the arguments.
public struct PropertyMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Stands in a class for `@Model`, which reads the key paths.
public struct KeyPathsMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Makes an actor that has a context of its own.
public struct ModelActorMacro: MemberMacro, ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let properties: [DeclSyntax] = [
      "public nonisolated let modelExecutor: any SwiftData.ModelExecutor",
      "public nonisolated let modelContainer: SwiftData.ModelContainer",
    ]
    let isDisabled = node.arguments?.trimmedDescription.contains("false") ?? false
    let initializer: DeclSyntax = """
      public init(modelContainer: SwiftData.ModelContainer) {
        modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: SwiftData.ModelContext(modelContainer))
        self.modelContainer = modelContainer
      }
      """
    return isDisabled ? properties : properties + [initializer]
  }

  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    [try ExtensionDeclSyntax("extension \(type.trimmed): SwiftData.ModelActor {}")]
  }
}

/// A use of a macro that means nothing.
struct MacroError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
