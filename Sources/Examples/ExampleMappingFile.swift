internal import DataModel
public import Diagnostics
public import Migration
internal import PersistentStore
internal import SystemC
internal import TrackLibrary

/// A mapping model as a file of `SampleData`, for Xcode and for migrations that are told to use it.
///
/// Where two belong to one step, their names are in the order of the work.
public struct ExampleMappingFile: Sendable {
  /// The folder in `SampleData`.
  public let folder: String
  /// The name of the `.xcmappingmodel`.
  public let name: String
  /// The names of the versions in the folder's model bundle, which the mapping model leads from and to.
  public let versions: (source: String, destination: String)
  /// What the file says.
  public let mappingModel: MappingModel
  private let models: (source: ManagedObjectModel, destination: ManagedObjectModel)

  /// All of them.
  ///
  /// From notes 1 to 2 there is none, since that step is inferred.
  public static var all: [ExampleMappingFile] {
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
  public func xml() throws(MigrationError) -> String {
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
  public func write(toFolder path: String) throws(MigrationError) {
    let text = try xml()
    let bundle = "\(path)/\(name)"
    guard mkdir(bundle, 0o755) == 0 || errno == EEXIST else { throw FileSystem.failure(.cannotCreate, bundle) }
    try FileSystem.write(Array(text.utf8), to: "\(bundle)/xcmapping.xml")
  }
}
