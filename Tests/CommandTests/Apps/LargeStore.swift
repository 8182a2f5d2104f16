import DataModel
import PersistentStore
import TestSupport

/// An app's store of more than a megabyte, and its model in two versions: the second has one attribute more.
struct LargeStore: Sendable {
  private let folder: TemporaryFolder
  let model: String

  init(journalMode: String = "WAL") throws {
    folder = try TemporaryFolder(isInMemory: true)
    model = try folder.makeFolder("App.xcdatamodeld")
    for (name, attributes) in [("App", ""), ("App 2", Self.rating)] {
      _ = try folder.makeFolder("App.xcdatamodeld/\(name).xcdatamodel")
      try folder.write(Array(Self.xml(attributes).utf8), to: "App.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    try folder.write(Array(Self.current.utf8), to: "App.xcdatamodeld/.xccurrentversion")
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

  private static let rating =
    #"<attribute name="rating" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>"#
  private static let current = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>App 2.xcdatamodel</string></dict></plist>
    """

  private static func xml(_ attributes: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Note" representedClassName="Note" syncable="YES">\(attributes)
    <attribute name="text" optional="YES" attributeType="String"/>
    <attribute name="data" optional="YES" attributeType="Binary"/>
    </entity></model>
    """
  }
}
