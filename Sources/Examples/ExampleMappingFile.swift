public import Migration
internal import TrackLibrary

/// A mapping model that belongs into a file of `SampleData`, for Xcode and for migrations that are told to use it.
public struct ExampleMappingFile: Sendable {
  /// The folder in `SampleData`.
  public let folder: String
  /// The name of the `.xcmappingmodel`.
  public let name: String
  /// The names of the versions in the folder's model, which it leads from and to.
  public let versions: (source: String, destination: String)
  /// What the file says.
  public let mappingModel: MappingModel

  /// All of them.
  ///
  /// From notes 1 to 2 there is none, since that step is inferred.
  public static var all: [ExampleMappingFile] {
    [
      ExampleMappingFile("Books", "Books_v1_to_v2", 1, BooksMapping.v1ToV2),
      ExampleMappingFile("Books", "Books_v2_to_v3", 2, BooksMapping.v2ToV3Rest),
      ExampleMappingFile("Books", "Books_v2_to_v3_User", 2, BooksMapping.v2ToV3User),
      ExampleMappingFile("Notes", "Notes_v2_to_v3", 2, NotesMapping.v2ToV3),
      ExampleMappingFile("Notes", "Notes_v3_to_v4", 3, NotesMapping.v3ToV4),
      ExampleMappingFile("Tracks", "Tracks_v1_to_v2", 1, TrackMapping.v1ToV2),
    ]
  }

  private init(_ folder: String, _ name: String, _ source: Int, _ mappingModel: MappingModel) {
    self.folder = folder
    self.name = "\(name).xcmappingmodel"
    // Xcode numbers all versions but the first.
    versions = (source == 1 ? folder : "\(folder) \(source)", "\(folder) \(source + 1)")
    self.mappingModel = mappingModel
  }
}
