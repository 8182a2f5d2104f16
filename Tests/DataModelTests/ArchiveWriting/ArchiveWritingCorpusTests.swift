import DataModel
import Foundation
import PropertyListFormat
import TestSupport
import Testing

/// Archives of Apple's, read and written again.
@Suite(.enabled(if: !SharedFolder.stores.isEmpty, "needs ../shared/corpus"))
struct ArchiveWritingCorpusTests {
  /// All that is different between Apple's archives and ours, by the names of the files.
  private static let documented: [String: [String]] = [
    // Framework version 637 archived some parts in other classes.
    "TestModel.sqlite": [
      "Author.NSRenamingIdentifier: an object | 'Author'", "Author.NSSubentities: nil | an object",
      "Book.NSRenamingIdentifier: an object | 'Book'", "Book.NSSubentities: nil | an object",
      "model.NSVersionIdentifiers: NSMutableSet | NSSet",
    ],
    // Core Data migrated this store; what it sets in a model then is archived as it was set.
    "SampleModel_V2.sqlite": [
      "Car.NSFetchIndexDescriptions[0].NSIndexElements: NSMutableArray | NSArray",
      "LuxuryCar.NSCompoundIndexes: an object | absent", "LuxuryCar.NSFetchIndexDescriptions: an object | absent",
      "Person.NSCompoundIndexes: an object | absent", "Person.NSFetchIndexDescriptions: an object | absent",
      "SportCar.NSCompoundIndexes: an object | absent", "SportCar.NSFetchIndexDescriptions: an object | absent",
    ],
    // Models here hold neither validation nor sort descriptors, nor the app's own objects.
    "SampleModel2_V1.sqlite": [
      "Author.feedbacks.NSFetchRequest.NSSortDescriptors: an object | nil"
    ]
      + ["Book", "GraphicNovel"].flatMap { entity in
        [
          "\(entity).cover.NSDefaultValue: an object | nil",
          "\(entity).title.NSValidationPredicates: an object | absent",
          "\(entity).title.NSValidationWarnings: an object | absent", "\(entity).title._P: 193 | 241",
        ]
      },
    "SampleModel3.momd": [
      "model.CDMCompilerToolVersion: real 22758.0 | absent", "model.CDMCompilerXcodeVersion: 150400 | absent",
    ],
  ]

  @Test(arguments: SharedFolder.stores)
  func `The model cache of a store is written as Core Data wrote it`(path: String) throws {
    guard let cache = try CorpusStore(path).modelCache() else { return }
    let model = try ManagedObjectModel(modelCache: cache)
    let written = try model.modelCache()
    let differences = try ArchiveComparison.differences(PackedModel.unpacked(cache), PackedModel.unpacked(written))
    #expect(differences == Self.documented[URL(filePath: path).lastPathComponent] ?? [])
    #expect(try ManagedObjectModel(modelCache: written) == model)
  }

  @Test(arguments: SharedFolder.compiledModels)
  func `A compiled model is written as Xcode wrote it`(path: String) throws {
    let bytes = try Files.bytes(path)
    let model = try ManagedObjectModel(archive: bytes)
    let differences = try ArchiveComparison.differences(bytes, model.archive())
    let bundle = URL(filePath: path).deletingLastPathComponent().lastPathComponent
    #expect(differences == Self.documented[bundle] ?? [])
    #expect(try ManagedObjectModel(archive: model.archive()) == model)
  }

  @Test(arguments: SharedFolder.stores)
  func `Archives are packed to the same bytes as on Apple's systems`(path: String) throws {
    guard let cache = try CorpusStore(path).modelCache() else { return }
    let archive = try PackedModel.unpacked(cache)
    #expect(try PackedModel.packed(archive) == cache)
  }

  @Test(arguments: SharedFolder.modelFiles)
  func `Xcode's models are unchanged after archiving and reading`(file: String) throws {
    try expectSame(try ManagedObjectModel(contentsOfFile: file))
  }

  @Test(.enabled(if: SharedFolder.hasVectors), arguments: HashVector.all)
  func `Archived models have the hashes that Apple's tools computed`(vector: HashVector) throws {
    let model = try ManagedObjectModel(xml: Array(vector.contents.utf8), file: vector.source)
    try expectSame(model)
    let again = try ManagedObjectModel(modelCache: model.modelCache())
    #expect(again.entity(named: vector.entity)?.versionHash.description == vector.hash)
  }

  /// Xcode's point before a class stands for a module that only the compiler knows.
  private func expectSame(_ model: ManagedObjectModel) throws {
    let expected = try model.comparable()
    for again in [
      try ManagedObjectModel(archive: model.archive()), try ManagedObjectModel(modelCache: model.modelCache()),
    ] {
      let again = try again.comparable()
      for (entity, var other) in zip(again.entities, expected.entities) {
        if other.managedObjectClassName?.hasPrefix(".") == true { other.managedObjectClassName = nil }
        #expect(entity == other)
      }
      #expect(again.versionIdentifiers == expected.versionIdentifiers)
      #expect(again.configurations == expected.configurations)
      #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
    }
  }
}
