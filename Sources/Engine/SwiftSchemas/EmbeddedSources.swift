/// The sources in the folder `Program`, which the toolchain of the machine compiles.
///
/// An installed command has no checkout, so SwiftPM puts them into the command.
enum EmbeddedSources {
  /// A file: its name, and its text.
  typealias File = (name: String, text: [UInt8])

  /// The module `SwiftData`.
  static let swiftData: [File] = [
    ("Declared.swift", PackageResources.Declared_swift),
    ("EntityBuilder.swift", PackageResources.EntityBuilder_swift),
    ("Macros.swift", PackageResources.Macros_swift),
    ("MemoryStore.swift", PackageResources.MemoryStore_swift),
    ("ModelContainer.swift", PackageResources.ModelContainer_swift),
    ("ModelContext.swift", PackageResources.ModelContext_swift),
    ("ModelFiles.swift", PackageResources.ModelFiles_swift),
    ("ModelStorage.swift", PackageResources.ModelStorage_swift),
    ("ObjectStore.swift", PackageResources.ObjectStore_swift),
    ("PersistentModel.swift", PackageResources.PersistentModel_swift),
    ("PlainValue.swift", PackageResources.PlainValue_swift),
    ("ProgramKind.swift", PackageResources.ProgramKind_swift),
    ("RemoteStore.swift", PackageResources.RemoteStore_swift),
    ("Schema.swift", PackageResources.Schema_swift),
    ("SchemaProgram.swift", PackageResources.SchemaProgram_swift),
    ("StageProgram.swift", PackageResources.StageProgram_swift),
    ("StorePipes.swift", PackageResources.StorePipes_swift),
    ("StoredEntity.swift", PackageResources.StoredEntity_swift),
    ("StoredValues.swift", PackageResources.StoredValues_swift),
    ("TypeList.swift", PackageResources.TypeList_swift),
    ("TypeShape.swift", PackageResources.TypeShape_swift),
    ("WireValue.swift", PackageResources.WireValue_swift),
  ]

  /// The macros of that module.
  static let macros: [File] = [
    ("ModelMacro.swift", PackageResources.ModelMacro_swift),
    ("SmallMacros.swift", PackageResources.SmallMacros_swift),
    ("StorageMacros.swift", PackageResources.StorageMacros_swift),
  ]

  /// The program that takes out what does not compile.
  static let pruner: [File] = [("SourcePruner.swift", PackageResources.SourcePruner_swift)]
}
