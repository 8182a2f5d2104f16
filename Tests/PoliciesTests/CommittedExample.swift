import DataModel
import Migration
import Samples
import TestSupport
import Testing

/// A folder of `SampleData`, compared with its expected contents.
struct CommittedExample {
  private let name: String
  private let path: String

  init(_ name: String) {
    self.name = name
    path = Checkout.root.appending(path: "SampleData/\(name)").path(percentEncoded: false)
  }

  func expectLibrary(_ file: String, _ kind: ExampleLibrary.Kind, count: Int) throws {
    let folder = try TemporaryFolder()
    var library = ExampleLibrary(kind, count: count)
    library.includesOddities = true
    try library.write(to: folder.file(file))
    let isSame = try Files.bytes(folder.file(file)) == Files.bytes("\(path)/\(file)")
    #expect(isSame, "run Scripts/regenerate-samples.sh and look at what changed in \(file)")
    #expect(try Database.integrity(folder.file(file)) == ["ok"])
    #expect(try folder.listing() == [file])
  }

  func expectFiles(_ names: [String]) throws {
    #expect(try Files.listing(path) == (names + mappings.map(\.name)).sorted())
  }

  /// Expects mapping models that are written as the program writes them and read as they are in the code.
  func expectMappingModels() throws {
    let bundle = try ModelBundle(path: "\(path)/\(name).xcdatamodeld")
    for mapping in mappings {
      let file = "\(path)/\(mapping.name)"
      let isSame = try Files.text("\(file)/xcmapping.xml") == mapping.xml()
      #expect(isSame, "run Scripts/regenerate-samples.sh and look at what changed in \(mapping.name)")
      let read = try MappingModelFile(path: file)
      #expect(read.findings.isEmpty)
      let resolved = try read.resolve(
        source: bundle.version(named: mapping.versions.source).model(),
        destination: bundle.version(named: mapping.versions.destination).model())
      #expect(resolved.mappingModel == mapping.mappingModel)
      // Properties that a policy sets have no mapping, which is reported but is not an error.
      #expect(!resolved.findings.contains { $0.isBlocking }, "\(resolved.findings)")
      let versions = try bundle.versions.map { (name: $0.name, model: try $0.model()) }
      #expect(
        read.versionPairs(among: versions).map { [$0.source, $0.destination] } == [
          [mapping.versions.source, mapping.versions.destination]
        ])
    }
    // The sort order of their names is the order in which they are applied.
    #expect(mappings.map(\.name) == mappings.map(\.name).sorted())
  }

  private var mappings: [ExampleMappingFile] { ExampleMappingFile.all.filter { $0.folder == name } }

  func expectModels(_ models: [ManagedObjectModel]) throws {
    let bundle = try ModelBundle(path: "\(path)/\(name).xcdatamodeld")
    let versions = (1...models.count).map { $0 == 1 ? name : "\(name) \($0)" }
    #expect(bundle.versions.map(\.name) == versions)
    #expect(try bundle.currentVersion().name == versions.last)
    for (version, model) in zip(bundle.versions, models) {
      let read = try version.model()
      #expect(read.entityVersionHashesByName == model.entityVersionHashesByName)
      for (entity, other) in zip(read.entities, model.entities) {
        #expect(entity.attributes.map(\.defaultValue) == other.attributes.map(\.defaultValue))
        #expect(entity.relationships.map(\.deleteRule) == other.relationships.map(\.deleteRule))
      }
      // The format is the one that Xcode writes.
      #expect(try read.xml() == Files.text("\(path)/\(name).xcdatamodeld/\(version.name).xcdatamodel/contents"))
    }
  }
}
