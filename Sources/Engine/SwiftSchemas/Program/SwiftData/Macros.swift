@_exported public import Foundation
@_exported public import Observation

/// Makes a class a model: its stored properties become attributes and relationships.
@attached(
  member, conformances: PersistentModel,
  names: named(schemaMetadata), named(schemaKeyPaths), named(modelStorage), named(_$modelStorage), named(init))
#if !TRACKS_MIGRATE_SCHEMA
  // It is asked for each member, which takes as long as everything else together.
  @attached(memberAttribute)
#endif
@attached(extension, conformances: PersistentModel)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Lets a property read and write the values of its object; `@Model` adds it, except where a schema is read.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_$))
public macro _StoredProperty() = #externalMacro(module: "SwiftDataMacros", type: "StoredPropertyMacro")

/// Says how an attribute is kept.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Says how objects are related.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Leaves a property out of the schema.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "PropertyMacro")

/// Names properties whose values together are unique.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Names properties that fetches sort or search by.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Names properties that fetches sort or search by, and the kind of each index.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "KeyPathsMacro")

/// Gives an actor a context of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor(disableGenerateInit: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")
