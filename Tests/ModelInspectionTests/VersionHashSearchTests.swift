import DataModel
import ModelInspection
import TestSupport
import Testing

@Suite struct VersionHashSearchTests {
  /// The app's model, from which stores differ.
  private static func wanted(_ alter: (inout Draft) -> Void = { _ in }) -> ManagedObjectModel {
    var draft = Draft()
    alter(&draft)
    return draft.model
  }

  struct Draft {
    var title = AttributeDescription("title", .string)
    var rating = AttributeDescription("rating", .integer16, isOptional: false)
    var tracks = RelationshipDescription("tracks", to: "Track", inverse: "album")
    var album = EntityDescription("Album")
    var more: [AttributeDescription] = []

    var model: ManagedObjectModel {
      let entity = EntityDescription(
        album.name, isAbstract: album.isAbstract, superentityName: album.superentityName,
        versionHashModifier: album.versionHashModifier, uniquenessConstraints: album.uniquenessConstraints,
        attributes: [title, rating] + more, relationships: [tracks])
      return TrackModels.model([
        EntityDescription("Thing", attributes: [AttributeDescription("id", .uuid)]), entity,
        EntityDescription("Live", superentityName: album.name, attributes: [AttributeDescription("place", .string)]),
        EntityDescription(
          "Track",
          relationships: [RelationshipDescription("album", to: album.name, inverse: "tracks", maxCount: 1)]),
      ])
    }
  }

  private func findings(
    _ store: ManagedObjectModel, hints: VersionHashHints = VersionHashHints()
  ) -> [String: VersionHashSearch.Finding] {
    VersionHashSearch(model: Self.wanted(), storeHashes: store.entityVersionHashesByName, hints: hints).findings()
  }

  private func outlines(_ finding: VersionHashSearch.Finding?) -> [String]? {
    guard case .changes(let changes) = finding else { return nil }
    return changes.map(\.outline)
  }

  typealias Case = (alter: @Sendable (inout Draft) -> Void, outlines: [String])

  static let cases: [Case] = [
    ({ $0.title.isOptional = false }, ["Album attribute title isOptional NO -> YES!"]),
    ({ $0.rating.type = .integer64 }, ["Album attribute rating attributeType Integer 64 -> Integer 16!"]),
    // A transient attribute has the same hash as none.
    ({ $0.title.isTransient = true }, ["Album attribute title +!"]),
    (
      { $0.title.allowsExternalBinaryDataStorage = true },
      ["Album attribute title allowsExternalBinaryDataStorage YES -> NO!"]
    ),
    (
      {
        $0.rating.type = .double
        $0.rating.isOptional = true
      },
      [
        "Album attribute rating attributeType Double -> Integer 16!", "Album attribute rating isOptional YES -> NO!",
      ]
    ),
    ({ $0.tracks.isOrdered = true }, ["Album relationship tracks isOrdered YES -> NO!"]),
    ({ $0.tracks.isOptional = false }, ["Album relationship tracks isOptional NO -> YES!"]),
    ({ $0.tracks.minCount = 1 }, ["Album relationship tracks minCount 1 -> 0!"]),
    ({ $0.tracks.inverseName = nil }, ["Album relationship tracks inverseRelationship nil -> album!"]),
    ({ $0.tracks.maxCount = 1 }, ["Album relationship tracks maxCount 1 -> 0!"]),
    ({ $0.album.isAbstract = true }, ["Album entity isAbstract YES -> NO!"]),
    ({ $0.album.uniquenessConstraints = [["title"]] }, ["Album entity uniquenessConstraints (title) -> nil!"]),
    ({ $0.album.superentityName = "Thing" }, ["Album entity superentity Thing -> nil!"]),
    (
      {
        $0.album.isAbstract = true
        $0.title.isOptional = false
      }, ["Album attribute title isOptional NO -> YES!", "Album entity isAbstract YES -> NO!"]
    ),
  ]

  @Test(arguments: cases.indices)
  func `One or two changes are found from hashes alone`(index: Int) {
    let (alter, expected) = Self.cases[index]
    let found = findings(Self.wanted(alter))
    #expect(outlines(found["Album"]) == expected)
    // The entity below is the same, and what it inherits was found out.
    #expect(found["Live"] == .inherited)
    #expect(found["Track"] == nil)
    #expect(found["Thing"] == nil)
  }

  @Test func `A store that fits has no findings`() {
    #expect(findings(Self.wanted()).isEmpty)
  }

  @Test func `A change of a subentity is found along with that of its parent`() {
    let store = TrackModels.model(
      Self.wanted { $0.title.isOptional = false }.entities.map { entity in
        guard entity.name == "Live" else { return entity }
        return EntityDescription(
          "Live", superentityName: "Album", attributes: [AttributeDescription("place", .string, isOptional: false)])
      })
    #expect(outlines(findings(store)["Live"]) == ["Live attribute place isOptional NO -> YES!"])
  }

  @Test func `A property that the store lacks is found`() {
    let model = Self.wanted { $0.more = [AttributeDescription("genre", .string)] }
    let search = VersionHashSearch(model: model, storeHashes: Self.wanted().entityVersionHashesByName)
    #expect(outlines(search.findings()["Album"]) == ["Album attribute genre +!"])
  }

  @Test func `Any number of properties without columns is found`() {
    let names = ["a", "b", "c", "d", "e"]
    let model = Self.wanted { $0.more = names.map { AttributeDescription($0, .string) } }
    let store = Self.wanted { $0.title.isOptional = false }.entityVersionHashesByName
    let hints = VersionHashHints(propertiesWithoutColumn: ["Album": Set(names)])
    let found = VersionHashSearch(model: model, storeHashes: store, hints: hints).findings()
    #expect(
      outlines(found["Album"])
        == names.map { "Album attribute \($0) +!" } + ["Album attribute title isOptional NO -> YES!"])
    #expect(VersionHashSearch(model: model, storeHashes: store).findings()["Album"] == .unknown)
  }

  @Test func `An unexplained column is tried as an attribute`() {
    let store = Self.wanted { $0.more = [AttributeDescription("genre", .string, isOptional: false)] }
    let hints = VersionHashHints(
      columns: ["Album": [VersionHashHints.Column(names: ["Genre", "genre"], types: [.string, .uri])]])
    #expect(
      outlines(findings(store, hints: hints)["Album"]) == [
        "Album attribute genre -!", "Album attribute genre attributeType String -> nil!",
        "Album attribute genre isOptional NO -> nil!",
      ])
    #expect(findings(store)["Album"] == .unknown)
  }

  @Test func `Modifiers and definitions from other versions are tried`() {
    let other = Self.wanted { $0.title.versionHashModifier = "index" }
    let store = Self.wanted { $0.album.versionHashModifier = "index" }
    #expect(
      outlines(findings(store, hints: VersionHashHints(otherModels: [other]))["Album"])
        == ["Album entity versionHashModifier index -> nil!"])
    let far = Self.wanted {
      $0.title.type = .uri
      $0.rating.isOptional = true
      $0.tracks.isOrdered = true
      $0.more = [AttributeDescription("x", .date)]
    }
    #expect(
      outlines(findings(far, hints: VersionHashHints(otherModels: [other, far]))["Album"]) == [
        "Album attribute x -!", "Album attribute rating isOptional YES -> NO!",
        "Album attribute title attributeType URI -> String!", "Album relationship tracks isOrdered YES -> NO!",
      ])
  }

  @Test func `An entity that refers to itself is found under its old name`() {
    func model(_ name: String) -> ManagedObjectModel {
      TrackModels.model([
        EntityDescription(
          name,
          relationships: [
            RelationshipDescription("parent", to: name, inverse: "children", maxCount: 1),
            RelationshipDescription("children", to: name, inverse: "parent"),
          ])
      ])
    }
    let search = VersionHashSearch(model: model("Folder"), storeHashes: model("Group").entityVersionHashesByName)
    #expect(search.findings().mapValues { outlines($0) } == ["Folder": ["Folder entity <- Group!"]])
  }

  @Test func `Hashes that no change explains are unknown`() {
    var hashes = Self.wanted().entityVersionHashesByName
    hashes["Album"] = VersionHash(bytes: [])
    hashes["Track"] = VersionHash(bytes: Array(repeating: 7, count: 32))
    let found = VersionHashSearch(model: Self.wanted(), storeHashes: hashes).findings()
    #expect(found["Album"] == .unknown)
    #expect(found["Track"] == .unknown)
  }

  @Test func `The search stops early in a huge model`() {
    let entities = (0..<60).map { index in
      EntityDescription(
        "E\(index)", attributes: (0..<20).map { AttributeDescription("a\($0)", .string) },
        relationships: [RelationshipDescription("next", to: "E\((index + 1) % 60)")])
    }
    let model = TrackModels.model(entities)
    let hashes = model.entityVersionHashesByName.mapValues { VersionHash(bytes: $0.bytes.reversed()) }
    let found = VersionHashSearch(model: model, storeHashes: hashes, trialLimit: 100).findings()
    #expect(found.count == 60)
    #expect(found.values.allSatisfy { $0 == .unknown })
  }
}
