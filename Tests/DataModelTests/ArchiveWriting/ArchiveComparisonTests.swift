import DataModel
import PropertyListFormat
import Testing

@Suite struct ArchiveComparisonTests {
  /// An archive with one field of one object changed.
  private func changed(_ archive: PropertyList, _ number: Int, _ change: (inout PropertyListDictionary) -> Void)
    throws -> KeyedArchive
  {
    var (copy, objects) = (archive.dictionary ?? [:], archive["$objects"]?.array ?? [])
    var fields = objects[number].dictionary ?? [:]
    change(&fields)
    objects[number] = .dictionary(fields)
    copy["$objects"] = .array(objects)
    return try KeyedArchive(.dictionary(copy))
  }

  @Test func `Every changed field of every object is reported as a difference`() throws {
    let archive = try PropertyList(binary: ArchivableModel.model().archive())
    let original = try KeyedArchive(archive)
    #expect(ArchiveComparison.differences(original, original) == [])
    var seen: Set<String> = []
    let objects = try #require(archive["$objects"]?.array)
    for (number, object) in objects.enumerated() {
      let className = object["$class"]?.uid.flatMap { objects[Int($0)]["$classname"]?.string } ?? "class"
      for key in object.dictionary?.keys ?? [] where key != "$classname" && seen.insert("\(className) \(key)").inserted
      {
        let other = try changed(archive, number) { $0[key] = .string("another") }
        let missing = try changed(archive, number) { $0[key] = nil }
        #expect(ArchiveComparison.differences(original, other) != [], "\(className) \(key)")
        #expect(ArchiveComparison.differences(original, missing) != [], "\(className) \(key)")
      }
    }
    #expect(seen.count > 110)
  }

  @Test func `A reference to another object is reported as a difference`() throws {
    func model(_ inverse: String) throws -> [UInt8] {
      try ManagedObjectModel(
        entities: [
          EntityDescription(
            "E",
            relationships: [
              RelationshipDescription("a", to: "E", inverse: inverse),
              RelationshipDescription("b", to: "E", inverse: "b"),
            ])
        ]
      ).archive()
    }
    #expect(try ArchiveComparison.differences(model("a"), model("b")) != [])
  }
}
