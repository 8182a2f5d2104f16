internal import DataModel
package import Migration
package import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat
internal import SystemC
internal import TrackLibrary

/// A generated library of one of the examples, for trying out a migration.
///
/// The same kind, count, seed and options always produce the same bytes.
///
/// ```swift
/// var library = ExampleLibrary(.books, count: 100)
/// library.includesOddities = true
/// try library.write(to: "Books.sqlite")
/// ```
package struct ExampleLibrary {
  /// The kinds of contents.
  package enum Kind: String, Sendable, CaseIterable {
    /// Books and users, in version 1.
    case books
    /// Notes, in version 1.
    case notes
    /// Notes with pictures, in version 2.
    case notesV2 = "notes-v2"
  }

  /// The kind of the library's contents.
  package let kind: Kind
  /// The number of books or notes, oddities included.
  package let count: Int
  /// The seed of all random contents.
  package var seed: UInt64
  /// Whether the library begins with books or notes that are odd in one way each; their titles say in which.
  ///
  /// A library of fewer books or notes than there are oddities holds the first of them.
  package var includesOddities = false
  /// A request to stop, after which nothing is left.
  package var cancellation = MigrationCancellation()
  /// Is called now and then with the number of books or notes that are written.
  package var onProgress: ((_ completedCount: Int) -> Void)?

  /// Creates a library to be written.
  ///
  /// - Parameters:
  ///   - kind: What it holds.
  ///   - count: The number of books or notes; less than none counts as none, and more than 2^32 - 1 as that.
  ///   - seed: Any number; another gives another library.
  package init(_ kind: Kind, count: Int, seed: UInt64 = 42) {
    self.kind = kind
    self.count = min(max(0, count), Int(UInt32.max))
    self.seed = seed
  }

  /// Writes the library to a file that must not exist yet.
  ///
  /// The file appears once it is complete and on disk.
  ///
  /// - Throws: `MigrationError`, with `outputExists` where there is something of this name, or a log or journal that
  ///   would be taken for the new file's. Then nothing is left behind.
  package func write(to path: String) throws(MigrationError) {
    let file = try NewStoreFile(path: path)
    do throws(MigrationError) {
      try build(file.stagedPath)
      try file.settleHeader()
      try file.publish()
    } catch {
      throw file.discard(after: error)
    }
  }

  private func build(_ path: String) throws(MigrationError) {
    let model = kind.model
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    try insert(into: writer)
    var random = SplitMix64(seed: seed, purpose: .store)
    try writer.finish(metadata: .new(for: model, uuid: random.nextUUID()))
  }

  /// A separate function, so that its statements are released before the store is closed.
  private func insert(into writer: StoreWriter) throws(MigrationError) {
    switch kind {
    case .books: try BookWriter(self, writer).insert()
    case .notes: try NoteWriter(self, writer, hasImages: false).insert()
    case .notesV2: try NoteWriter(self, writer, hasImages: true).insert()
    }
  }

  /// Reports how many rows are written, and stops if requested.
  func report(_ completed: Int) throws(MigrationError) {
    guard completed.isMultiple(of: 4096) || completed == count else { return }
    if cancellation.isCancelled { throw MigrationError(.interrupted) }
    onProgress?(completed)
  }
}

extension ExampleLibrary.Kind {
  /// The model of the version that the library is generated in.
  fileprivate var model: ManagedObjectModel {
    switch self {
    case .books: BooksModel.v1
    case .notes: NotesModel.v1
    case .notesV2: NotesModel.v2
    }
  }
}

/// A mapping model stored as a file in `SampleData`, for Xcode and for migrations that are told to use it.
///
/// Where two belong to one step, their names are in the order of the work.
package struct ExampleMappingFile: Sendable {
  /// The folder in `SampleData`.
  package let folder: String
  /// The name of the `.xcmappingmodel`.
  package let name: String
  /// The names of the versions in the folder's model bundle, which the mapping model leads from and to.
  package let versions: (source: String, destination: String)
  /// The contents of the file.
  package let mappingModel: MappingModel
  private let models: (source: ManagedObjectModel, destination: ManagedObjectModel)

  /// All mapping files.
  ///
  /// From notes 1 to 2 there is none, since that step is inferred.
  package static var all: [ExampleMappingFile] {
    let tracks = TrackModelVersion.allCases.map(\.model)
    return [
      ExampleMappingFile("Books", "Books_v1_to_v2", BooksModel.all, from: 0, BooksMapping.v1ToV2),
      ExampleMappingFile("Books", "Books_v2_to_v3_1_Users", BooksModel.all, from: 1, BooksMapping.v2ToV3User),
      ExampleMappingFile("Books", "Books_v2_to_v3_2_Books", BooksModel.all, from: 1, BooksMapping.v2ToV3Rest),
      ExampleMappingFile("Notes", "Notes_v2_to_v3", NotesModel.all, from: 1, NotesMapping.v2ToV3),
      ExampleMappingFile("Notes", "Notes_v3_to_v4", NotesModel.all, from: 2, NotesMapping.v3ToV4),
      ExampleMappingFile("Tracks", "Tracks", tracks, from: 0, TrackMapping.v1ToV2),
    ]
  }

  private init(
    _ folder: String, _ name: String, _ versions: [ManagedObjectModel], from source: Int, _ mappingModel: MappingModel
  ) {
    self.folder = folder
    self.name = "\(name).xcmappingmodel"
    models = (versions[source], versions[source + 1])
    // Xcode numbers all versions but the first.
    self.versions = (source == 0 ? folder : "\(folder) \(source + 1)", "\(folder) \(source + 2)")
    self.mappingModel = mappingModel
  }

  /// The content of the file `xcmapping.xml`.
  ///
  /// - Throws: `MigrationError` where the mapping model does not fit its models.
  package func xml() throws(MigrationError) -> String {
    let bundle = "SampleData/\(folder)/\(folder).xcdatamodeld"
    let writer = MappingModelWriter(
      source: models.source, destination: models.destination,
      sourceModelPath: "\(bundle)/\(versions.source).xcdatamodel",
      destinationModelPath: "\(bundle)/\(versions.destination).xcdatamodel")
    do {
      return try writer.xml(of: mappingModel, file: name)
    } catch {
      throw error.migrationError
    }
  }

  /// Writes the `.xcmappingmodel` into a folder, over one that is there.
  package func write(toFolder path: String) throws(MigrationError) {
    let text = try xml()
    let bundle = "\(path)/\(name)"
    guard mkdir(bundle, 0o755) == 0 || errno == EEXIST else { throw FileSystem.failure(.cannotCreate, bundle) }
    try FileSystem.write(Array(text.utf8), to: "\(bundle)/xcmapping.xml")
  }
}

extension EntityMapping {
  /// The mapping that Xcode suggests for an entity in both models, with custom relationship mappings.
  ///
  /// - Parameters:
  ///   - source: The entity and its model.
  ///   - destination: The entity and its model.
  ///   - policy: A class of this package.
  ///   - relationships: The relationship mappings; relationships that are not listed are not mapped.
  static func example(
    from source: (name: String, model: ManagedObjectModel), to destination: (name: String, model: ManagedObjectModel),
    policy: String? = nil, relationships: [PropertyMapping] = []
  ) -> EntityMapping {
    var mapping = EntityMapping.suggested(
      from: source.model.exampleEntity(source.name), to: destination.model.exampleEntity(destination.name),
      // Xcode requires the module.
      policy: policy.map { "Policies.\($0)" })
    mapping.relationshipMappings = relationships
    return mapping
  }

  /// The mapping of an entity without a source: the policy of another mapping creates its instances.
  static func exampleAddition(_ name: String, in model: ManagedObjectModel) -> EntityMapping {
    let entity = model.exampleEntity(name)
    return EntityMapping(
      mappingType: .add, source: nil, destination: entity,
      attributeMappings: entity.attributes.map { PropertyMapping(name: $0.name, valueExpression: nil) },
      relationshipMappings: entity.relationships.map { PropertyMapping(name: $0.name, valueExpression: nil) })
  }
}

extension PropertyMapping {
  /// Connects a relationship to the destinations of the source's relationship of the same name, through an entity
  /// mapping.
  static func relationship(_ name: String, by mapping: String) -> PropertyMapping {
    PropertyMapping(
      name: name, valueExpression: .destinationInstances(entityMappingNamed: mapping, sourceInstances: .source(name)))
  }

  /// Connects a relationship to the destinations of the source's relationship of the same name, through any entity
  /// mapping.
  static func relationship(_ name: String) -> PropertyMapping {
    PropertyMapping(
      name: name,
      valueExpression: .destinationInstances(sourceRelationshipNamed: name, sourceInstances: .source(name)))
  }
}

extension ManagedObjectModel {
  /// A model written in this package: an error in it is our bug, and every test would find it.
  static func example(_ entities: EntityDescription...) -> ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: entities)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// An entity that an example is known to have.
  func exampleEntity(_ name: String) -> EntityDescription {
    guard let entity = entity(named: name) else { preconditionFailure("the example has no entity '\(name)'") }
    return entity
  }
}

extension ColumnValue {
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }

  init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }

  init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}

/// Text as a transformable attribute without its own transformer stores it: a keyed archive.
enum ArchivedText {
  static func bytes(_ text: String) -> [UInt8] {
    var top = PropertyListDictionary()
    top["root"] = .uid(1)
    var archive = PropertyListDictionary()
    archive["$version"] = .integer(100_000)
    archive["$archiver"] = .string("NSKeyedArchiver")
    archive["$top"] = .dictionary(top)
    archive["$objects"] = .array([.string("$null"), .string(text)])
    return PropertyList.dictionary(archive).binary()
  }
}
