// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The functions are those that swift-syntax asks for.

import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

extension MacroExpansionContext {
  /// Whether objects have their values from a store.
  ///
  /// A schema is read without, so that it depends on as little as possible.
  var hasStores: Bool { (try? buildConfiguration?.isCustomConditionSet(name: "TRACKS_MIGRATE_SCHEMA")) != true }
}

/// The members of a model that hold its values.
enum StorageMembers {
  /// - Parameter isSubclass: Whether the superclass is a model, too. It has the same values once the object is complete;
  ///   until then a subclass may not use what it inherits.
  static func all(isSubclass: Bool) -> [DeclSyntax] {
    let own: DeclSyntax = "private var _$modelStorage = SwiftData.ModelStorage()"
    guard isSubclass else {
      return [
        own, "public var modelStorage: SwiftData.ModelStorage { _$modelStorage }",
        "public required init(modelStorage: SwiftData.ModelStorage) { _$modelStorage = modelStorage }",
      ]
    }
    return [
      own,
      """
      public override var modelStorage: SwiftData.ModelStorage {
        let inherited = super.modelStorage
        if inherited !== _$modelStorage { _$modelStorage = inherited.absorb(_$modelStorage) }
        return inherited
      }
      """,
      """
      public required init(modelStorage: SwiftData.ModelStorage) {
        super.init(modelStorage: modelStorage)
        _$modelStorage = modelStorage
      }
      """,
    ]
  }
}

/// Turns a stored property into one that reads and writes the values of its object.
public struct StoredPropertyMacro: AccessorMacro, PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let name = name(of: declaration) else { return [] }
    return [
      """
      @storageRestrictions(accesses: _$modelStorage, initializes: _$\(raw: name))
      init(initialValue) {
        _$modelStorage.initialize("\(raw: name)", initialValue)
        _$\(raw: name) = ()
      }
      """,
      "get { _$modelStorage.value(\"\(raw: name)\") }",
      "set { modelStorage.set(\"\(raw: name)\", newValue, of: self) }",
    ]
  }

  /// The initializer of a property has to initialize one with storage.
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    name(of: declaration).map { ["private var _$\(raw: $0): Void = ()"] } ?? []
  }

  private static func name(of declaration: some DeclSyntaxProtocol) -> String? {
    declaration.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription.filter { $0 != "`" }
  }
}
