import DataModel
import PersistentStore
import TestSupport

/// An app's store of more than a megabyte and its model in two versions.
///
/// The second version has one more attribute.
struct LargeStore: Sendable {
  private let folder: TemporaryFolder
  let model: String

  init(journalMode: String = "WAL") throws {
    folder = try TemporaryFolder(isInMemory: true)
    model = try folder.writeAppModel(entity: "Note", versions: [Self.text, Self.text + Self.rating])
    let model = try ModelBundle(path: model).version(named: "App").model()
    let path = folder.file("App.sqlite")
    try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "ID"))
    try Database.run(
      """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZDATA) VALUES (1, 1, 1, printf('%.*c', 1100000, 'x'), NULL),
        (3, 1, 2, 'zwölf "12" 😀', x'00FF'), (4, 1, 1, NULL, NULL);
      CREATE TABLE own (a UNIQUE); INSERT INTO own VALUES (7); PRAGMA journal_mode = \(journalMode)
      """, in: path)
  }

  /// Copies the store into a folder, and returns its path.
  func copy(to other: TemporaryFolder) throws -> String {
    try other.write(try Files.bytes(folder.file("App.sqlite")), to: "App.sqlite")
    return other.file("App.sqlite")
  }

  private static let text = """
    <attribute name="text" optional="YES" attributeType="String"/>
    <attribute name="data" optional="YES" attributeType="Binary"/>
    """
  private static let rating =
    #"<attribute name="rating" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>"#
}
