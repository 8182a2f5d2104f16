import DataModel
import PersistentStore
import TestSupport
import Testing

/// The join table of a reflexive relationship, when it is uncertain which side names it.
@Suite("The --join-table option")
struct JoinTableOptionTests {
  private let folder: TemporaryFolder
  private let model: String
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    let links = """
      <relationship name="follows" optional="YES" toMany="YES" destinationEntity="P" inverseName="followedBy"/>
      <relationship name="followedBy" optional="YES" toMany="YES" destinationEntity="P" inverseName="follows"/>
      """
    model = try folder.writeAppModel(
      entity: "P", versions: [links, links + #"<attribute name="title" optional="YES" attributeType="String"/>"#])
    store = folder.file("App.sqlite")
    let first = try ModelBundle(path: model).version(named: "App").model()
    try StoreWriter(path: store, schema: StoreSchema(first), layout: .coreData).finish(
      metadata: .new(for: first, uuid: "ID"))
    try Database.run(
      "INSERT INTO ZP (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1); "
        + "INSERT INTO Z_1FOLLOWEDBY (Z_1FOLLOWS, Z_1FOLLOWEDBY) VALUES (2, 1)", in: store)
  }

  private static let doubt = """
    in doubt: Core Data may expect the table 'Z_1FOLLOWS' to be named after 'P.followedBy' and not after 'P.follows'; \
    decide it with --join-table
    """

  @Test func `An ambiguous join table calls for the option`() throws {
    #expect(try successfully(store, "--model", model, "--dry-run").stdout.contains(Self.doubt))
    let before = try folder.snapshot()
    let strict = try tracksMigrate(store, "--model", model, "--strict")
    #expect(strict.status == 65)
    #expect(strict.stderr.contains("Decide it with --join-table"))
    #expect(try folder.snapshot() == before)
    #expect(try successfully(store, "--model", model).stderr.contains(Self.doubt))
    #expect(try Database.rows("SELECT Z_1FOLLOWEDBY, Z_1FOLLOWS FROM Z_1FOLLOWS", in: store) == ["1|2"])
  }

  @Test(arguments: ["follows", "followedBy"])
  func `The option decides the name of the join table`(relationship: String) throws {
    let result = try successfully(store, "--model", model, "--strict", "--join-table", "P.\(relationship)")
    #expect(!result.stderr.contains("in doubt"))
    let table = "Z_1\(relationship.uppercased())"
    #expect(try Database.rows("SELECT Z_1FOLLOWEDBY, Z_1FOLLOWS FROM \(table)", in: store) == ["1|2"])
  }

  @Test(arguments: [
    ("P", "must have the form Entity.relationship"), ("P.title", "can be named after 'P.title'"),
    ("Q.follows", "can be named after 'Q.follows'"),
  ])
  func `The option requires one side of a many-to-many relationship`(value: String, words: String) throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(store, "--model", model, "--join-table", value)
    #expect(result.status == 64, "\(result)")
    #expect(result.stderr.contains(words))
    #expect(try folder.snapshot() == before)
  }

  @Test func `A failed verification names the tables whose names are in doubt`() throws {
    let new = folder.file("New.sqlite")
    _ = try successfully(store, "--model", model, "--output", new, "--join-table", "P.followedBy")
    let result = try tracksMigrate("verify", new, "--source", store, "--model", model)
    #expect(result.status == 3)
    #expect(result.stderr.contains(Self.doubt), "\(result)")
    let told = try tracksMigrate(
      "verify", new, "--source", store, "--model", model, "--join-table", "P.followedBy")
    #expect(told.status == 0, "\(told)")
  }
}
