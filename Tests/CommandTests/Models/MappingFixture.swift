import Foundation
import TestSupport

/// Mapping models for tests of the command.
enum MappingFixture {
  static let books = Readme.root + "/SampleData/Books"
  static let notes = Readme.root + "/SampleData/Notes"
  static let sample = ModelFixture.corpus + "/coredataplus-SampleModel/SampleModel"

  /// The mapping models of the books, in the order in which they are applied.
  static let bookMappings = [
    "Books_v1_to_v2", "Books_v2_to_v3_1_Users", "Books_v2_to_v3_2_Books",
  ].map { "\(books)/\($0).xcmappingmodel" }

  /// All mapping models of the samples with their models.
  static let all: [(mapping: String, bundle: String)] =
    bookMappings.map { ($0, books + "/Books.xcdatamodeld") }
    + ["Notes_v2_to_v3", "Notes_v3_to_v4"].map { ("\(notes)/\($0).xcmappingmodel", notes + "/Notes.xcdatamodeld") }
    + [(Readme.root + "/SampleData/Tracks/Tracks.xcmappingmodel", ModelFixture.tracks)]
}

extension TemporaryFolder {
  /// Writes a mapping model that keeps entities and has no property mappings.
  func mappingModel(
    _ name: String, entities: [String], from source: String = "A", to destination: String = "B",
    of bundle: String = "M", policy: String? = nil
  ) throws -> String {
    let objects = entities.enumerated().map { place, entity in
      """
      <object type="XDDEVENTITYMAPPING" id="e\(place)">
      <attribute name="sourcename" type="string">\(entity)</attribute>
      <attribute name="destinationname" type="string">\(entity)</attribute>
      <attribute name="mappingnumber" type="int16">\(place + 1)</attribute>
      \(policy.map { "<attribute name=\"migrationpolicyclassname\" type=\"string\">\($0)</attribute>" } ?? "")
      <relationship name="mappingmodel" type="1/1" idrefs="m"></relationship></object>
      """
    }
    let list = entities.indices.map { "e\($0)" }.joined(separator: " ")
    return try mappingModel(
      name,
      xml: """
        <database><databaseInfo></databaseInfo>
        \(objects.joined())
        <object type="XDDEVMAPPINGMODEL" id="m">
        <attribute name="sourcemodelpath" type="string">\(bundle).xcdatamodeld/\(source).xcdatamodel</attribute>
        <attribute name="destinationmodelpath" type="string">\(bundle).xcdatamodeld/\(destination).xcdatamodel</attribute>
        <relationship name="entitymappings" type="0/0" idrefs="\(list)"></relationship></object></database>
        """)
  }

  /// Writes a mapping model with this text.
  func mappingModel(_ name: String, xml: String) throws -> String {
    try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
    try write(Array(xml.utf8), to: "\(name)/xcmapping.xml")
    return file(name)
  }

  /// Writes a copy of a mapping model with some words replaced.
  func mappingModel(_ name: String, like path: String, replacing changes: (String, with: String)...) throws -> String {
    var xml = try Files.text(path + "/xcmapping.xml")
    for change in changes { xml = xml.replacing(change.0, with: change.with) }
    return try mappingModel(name, xml: xml)
  }
}

extension CommandResult {
  /// Returns the findings of a command with `--format json`: the severity, place and id of each.
  func findings() throws -> [String] {
    (try json()["findings"] as? [[String: Any]] ?? []).map { record in
      ["severity", "entity_mapping", "property", "id"].map { record[$0] as? String ?? "" }.joined(separator: "|")
    }
  }

  /// Returns the rows of `models lint --format csv`: severity, version, entity, property, id and mapping.
  func lintRows() -> [String] {
    lines.dropFirst().map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return (fields.prefix(5) + fields.suffix(1)).joined(separator: ",")
    }
  }
}
