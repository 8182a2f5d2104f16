import SwiftSyntaxMacros

private var macros: [any Macro.Type] {
  [ModelMacro.self, StoredPropertyMacro.self, PropertyMacro.self, KeyPathsMacro.self, ModelActorMacro.self]
}

#if canImport(SwiftCompilerPlugin)
  import SwiftCompilerPlugin

  /// The macros of the module `SwiftData`, with swift-syntax as a package.
  @main struct MacroPlugin: CompilerPlugin {
    let providingMacros = macros
  }
#else
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

  /// The macros of the module `SwiftData`, with the swift-syntax of the toolchain, which lacks the entry point.
  @main struct MacroPlugin: PluginProvider {
    struct UnknownMacro: Error, CustomStringConvertible {
      let description: String
    }

    static func main() throws {
      try CompilerPluginMessageListener(connection: StandardIOMessageConnection(), provider: MacroPlugin()).main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      guard let macro = macros.first(where: { String(describing: $0) == typeName }) else {
        throw UnknownMacro(description: "'\(moduleName).\(typeName)' is not a macro of SwiftData")
      }
      return macro
    }
  }
#endif
