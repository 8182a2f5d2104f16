import DataModel
import Examples
import TestSupport
import Testing

/// A folder of `SampleData`, compared with what it should hold.
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
    #expect(isSame, "run SampleData/\(name)/regenerate.sh and look at what changed in \(file)")
    #expect(try Database.integrity(folder.file(file)) == ["ok"])
    #expect(try folder.listing() == [file])
  }

  /// Mapping models may lie there too; they are compared elsewhere.
  func expectFiles(_ names: [String]) throws {
    #expect(try Files.listing(path).filter { !$0.hasSuffix(".xcmappingmodel") } == names)
  }

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
      // Laid out as Xcode does.
      #expect(try read.xml() == Files.text("\(path)/\(name).xcdatamodeld/\(version.name).xcdatamodel/contents"))
    }
  }
}
