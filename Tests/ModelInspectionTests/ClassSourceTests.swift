import DataModel
import ModelInspection
import TestSupport
import Testing

/// Models as Swift source: `@Model` classes of SwiftData, and subclasses of `NSManagedObject`.
@Suite("Models as classes")
struct ClassSourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func source(_ entities: String, named name: String = "M") throws -> ModelSource {
    let path = try folder.makeFolder("\(name).xcdatamodel")
    try Files.write("<model>\(entities)</model>", to: "\(path)/contents")
    return try ModelSource(path)
  }

  /// The source behind its imports.
  private func swiftData(_ entities: String) throws -> (text: String, remarks: [ClassSource.Remark]) {
    let source = try source(entities).swiftDataSource()
    let text = source.text.split(separator: "import SwiftData\n\n", maxSplits: 1).last.map(String.init) ?? ""
    return (text, source.remarks)
  }

  private func bundle(_ versions: KeyValuePairs<String, String>, current: String? = nil) throws -> ModelSource {
    for (version, entities) in versions {
      let path = try folder.makeFolder("App.xcdatamodeld/\(version).xcdatamodel")
      try Files.write("<model>\(entities)</model>", to: "\(path)/contents")
    }
    if let current {
      try Files.write(
        "<plist><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>",
        to: folder.file("App.xcdatamodeld/.xccurrentversion"))
    }
    return try ModelSource(folder.file("App.xcdatamodeld"))
  }

  // MARK: - SwiftData

  private static let optional = #"optional="YES" attributeType="#

  /// Classes whose version hashes are known, as the entities that SwiftData makes of them, and their members.
  private static let vectors: [(name: String, hash: String, xml: String, members: [String])] = [
    (
      "Vec1", "ab6aaca2994e82ad1c3a83af3711e0aa6f0821039170e0fdc0aa89141a5c2a66",
      """
      <attribute name="id" attributeType="UUID"/><attribute name="name" attributeType="String"/>
      <attribute name="note" \(optional)"String"/><attribute name="n" attributeType="Integer 64"/>
      <attribute name="n32" attributeType="Integer 32"/><attribute name="n16" attributeType="Integer 16"/>
      <attribute name="ok" attributeType="Boolean"/><attribute name="d" attributeType="Double"/>
      <attribute name="f" attributeType="Float"/><attribute name="at" \(optional)"Date"/>
      <attribute name="raw" \(optional)"Binary"/><attribute name="price" attributeType="Decimal"/>
      """,
      [
        "var at: Date?", "var d: Double", "var f: Float", "var id: UUID", "var n: Int", "var n16: Int16",
        "var n32: Int32", "var name: String", "var note: String?", "var ok: Bool", "var price: Decimal",
        "var raw: Data?",
      ]
    ),
    (
      "Vec2", "c9eb4642b8644c22c6c43b4d21017ff0a98f178a5c7f012ac49ab2ad61c58f83",
      """
      <attribute name="code" attributeType="String"/>
      <attribute name="tags" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
      </uniquenessConstraints>
      """, ["@Attribute(.unique) var code: String", "var tags: [String]"]
    ),
    (
      "Vec3", "2a340d9ecc9408d9789213eafa241e3cfa53965488c0d674bcabdd5d9e666069",
      """
      <attribute name="a" attributeType="String"/><attribute name="b" attributeType="Integer 64"/>
      <fetchIndex name="SwiftDataIndexOnBinarya">
      <fetchIndexElement property="a" type="Binary" order="ascending"/></fetchIndex>
      <uniquenessConstraints><uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
      </uniquenessConstraints>
      """, ["#Unique<Vec3>([\\.a, \\.b])", "#Index<Vec3>([\\.a])", "var a: String", "var b: Int"]
    ),
    (
      "Vec4", "a3a53c41ed488484617a41b162a460d85d3afa390723c68a69da10057711848f",
      """
      <attribute name="title" attributeType="String"/><relationship name="items" toMany="YES" deletionRule="Cascade"
       destinationEntity="Vec5" inverseName="owner" inverseEntity="Vec5"/>
      """,
      [
        "var title: String",
        "@Relationship(deleteRule: .cascade, inverse: \\Vec5.owner) var items: [Vec5] = []",
      ]
    ),
    (
      "Vec5", "349922a161f15c1ed1b6befe14fc33bf2c96174b5aff256451668a7a7ace2c51",
      """
      <attribute name="title" attributeType="String"/><relationship name="owner" optional="YES" maxCount="1"
       deletionRule="Nullify" destinationEntity="Vec4" inverseName="items" inverseEntity="Vec4"/>
      """, ["var title: String", "var owner: Vec4?"]
    ),
    (
      "Vec6", "ad120ecf5c3d1f2097ff4e6b3302ebd1baa0c265cf9635352b3be87405243786",
      """
      <attribute name="kind" attributeType="Composite" composite="Kind"/>
      <attribute name="level" \(optional)"Composite" composite="Level"/>
      """, ["var kind: Kind", "var level: Level?"]
    ),
    (
      "Vec7", "9a25d60fcc376c984ced4c808428afa1294350cec0c2c385228a2b760d0a1eba",
      """
      <attribute name="label" attributeType="String"/><relationship name="other" optional="YES" maxCount="1"
       deletionRule="Nullify" destinationEntity="Vec2"/>
      """, ["var label: String", "@Relationship(deleteRule: .nullify) var other: Vec2?"]
    ),
    (
      "Vec8", "999567a8e11b17a96b4ba6f0a8b7eeff17efbdf1e55f0e3a3c7a5f3f8688cddd",
      """
      <attribute name="name" attributeType="String"/>
      <attribute name="pos" attributeType="Composite" composite="Position"/>
      """, ["var name: String", "var pos: Position"]
    ),
    (
      "Vec9", "4219cd6632f27d8fc15ec8d9a3a211af2ab883123ed9c962b2e87f12a6717323",
      """
      <attribute name="name" attributeType="String"/>
      <attribute name="state" attributeType="Composite" composite="State">
      <userInfo><entry key="EnumType" value="1"/></userInfo></attribute>
      """, ["var name: String", "var state: State"]
    ),
  ]

  private static let composites = """
    <composite name="Kind"><attribute name="kind" \(optional)"String"/></composite>
    <composite name="Level"><attribute name="level" \(optional)"Integer 64"/></composite>
    <composite name="Position"><attribute name="x" \(optional)"Double"/><attribute name="y" \(optional)"Double"/>
    <attribute name="label" \(optional)"String"/></composite>
    <composite name="State"><attribute name="on" \(optional)"String"/><attribute name="off" \(optional)"String"/>
    </composite>
    """

  private static func entities() -> String {
    vectors.map { "<entity name=\"\($0.name)\">\($0.xml)</entity>" }.joined() + composites
  }

  @Test func `An entity whose hash is that of a class of SwiftData becomes this class`() throws {
    let source = try source(Self.entities())
    let model = try source.load().model
    let text = try source.swiftDataSource().text
    let classes = Dictionary(
      text.split(separator: "@Model\nfinal class ").dropFirst().map { part in
        let lines = part.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        return (
          String(lines[0].dropLast(" {".count)),
          lines.dropFirst().map { String($0.drop { $0 == " " }) }.filter { !$0.hasPrefix("//") }
        )
      }, uniquingKeysWith: { first, _ in first })
    for vector in Self.vectors {
      #expect(model.entity(named: vector.name)?.versionHash.description == vector.hash, "\(vector.name)")
      #expect(classes[vector.name] == vector.members, "\(vector.name)")
    }
    #expect(
      text.hasSuffix(
        """
        struct Position: Codable {
            var x: Double?
            var y: Double?
            var label: String?
        }

        enum State: Codable {
            case on
            case off
        }

        """), "\(text)")
  }

  /// An entity with much that SwiftData cannot express.
  private static let rich = """
    <entity name="Base" isAbstract="YES" representedClassName=".BaseMO" elementID="Old" versionHashModifier="7">
    <attribute name="class" attributeType="Integer 16" defaultValueString="5" usesScalarValueType="YES"/>
    <attribute name="code" attributeType="String" elementID="oldCode" versionHashModifier="2" maxValueString="9"/>
    <attribute name="color" \(optional)"Transformable" valueTransformerName="ColorTransformer"
     customClassName="UIColor"/>
    <attribute name="count" \(optional)"Integer 64" derived="YES" derivationExpression="kids.@count"/>
    <attribute name="data" \(optional)"Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
    <attribute name="scratch" optional="YES" transient="YES"/>
    <attribute name="text" \(optional)"String" defaultValueString="&quot;\\&#10;">
    <userInfo><entry key="k" value="a&#10;b"/></userInfo></attribute>
    <relationship name="friends" toMany="YES" minCount="1" maxCount="5" deletionRule="Nullify" destinationEntity="Base"
     inverseName="friends" inverseEntity="Base"/>
    <relationship name="kids" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Kid"
     inverseName="base" inverseEntity="Kid"/>
    <fetchIndex name="byCode"><fetchIndexElement property="code" type="Binary" order="descending"/></fetchIndex>
    </entity>
    <entity name="Kid" parentEntity="Base">
    <fetchedProperty name="recent" optional="YES"><fetchRequest name="r" entity="Data" predicateString="1 == 1"/>
    </fetchedProperty>
    <relationship name="base" maxCount="1" deletionRule="Deny" destinationEntity="Base" inverseName="kids"
     inverseEntity="Base"/></entity>
    <entity name="Data"><attribute name="raw" \(optional)"Binary"/></entity>
    """

  @Test func `Everything that SwiftData cannot express has a comment where it belongs, and a remark`() throws {
    let (text, remarks) = try swiftData(Self.rich)
    #expect(
      text == """
        // SwiftData has no abstract entities; the version hash differs.
        // SwiftData cannot rename entities; it was 'Old', whose rows a stage would delete.
        // SwiftData has no hash modifiers of entities ('7'); the version hash differs.
        // SwiftData names an entity after its class, which is 'BaseMO' in the model.
        @Model
        class Base {
            // SwiftData cannot express the index 'byCode'.
            var `class`: Int16 = 5
            // SwiftData has no validation rules (maximum 9).
            @Attribute(originalName: "oldCode", hashModifier: "2") var code: String
            // It is not known how SwiftData hashes attributes with a transformer; the version hash may differ.
            // The model does not have the class 'UIColor'; declare it beside this source.
            @Attribute(.transformable(by: "ColorTransformer")) var color: UIColor?
            // SwiftData has no derived attributes; this one is 'kids.@count'; the version hash differs.
            var count: Int?
            @Attribute(.externalStorage, .preserveValueOnDeletion) var data: Foundation.Data?
            // SwiftData has no attributes without a type; this one is outside the schema.
            @Transient var scratch: Any?
            // SwiftData has no user info (k=a\\nb).
            var text: String? = "\\"\\\\\\n"
            // It is not known how SwiftData hashes minimum and maximum counts; the version hash may differ.
            // SwiftData cannot declare a relationship as its own inverse.
            @Relationship(minimumModelCount: 1, maximumModelCount: 5) var friends: [Base] = []
            // SwiftData has no ordered relationships; the version hash differs.
            @Relationship(deleteRule: .cascade, inverse: \\Kid.base) var kids: [Kid]?

            init(
                `class`: Int16 = 5,
                code: String,
                color: UIColor? = nil,
                count: Int? = nil,
                data: Foundation.Data? = nil,
                text: String? = "\\"\\\\\\n",
                friends: [Base] = [],
                kids: [Kid]? = nil
            ) {
                self.`class` = `class`
                self.code = code
                self.color = color
                self.count = count
                self.data = data
                self.text = text
                self.friends = friends
                self.kids = kids
            }
        }

        // It is not known how SwiftData hashes subclasses; the version hash may differ.
        @available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)
        @Model
        final class Kid: Base {
            @Relationship(deleteRule: .deny) var base: Base
            // SwiftData has no fetched properties; 'recent' fetches 'Data' where 1 == 1.

            init(
                `class`: Int16 = 5,
                code: String,
                color: UIColor? = nil,
                count: Int? = nil,
                data: Foundation.Data? = nil,
                text: String? = "\\"\\\\\\n",
                friends: [Base] = [],
                kids: [Kid]? = nil,
                base: Base
            ) {
                self.base = base
                super.init(
                    class: `class`,
                    code: code,
                    color: color,
                    count: count,
                    data: data,
                    text: text,
                    friends: friends,
                    kids: kids
                )
            }
        }

        @Model
        final class Data {
            var raw: Foundation.Data?

            init(raw: Foundation.Data? = nil) {
                self.raw = raw
            }
        }

        """)
    #expect(
      remarks.map(\.place) == [
        "'Base'", "'Base'", "'Base'", "'Base'", "'Base'", "'Base.code'", "'Base.color'", "'Base.color'", "'Base.count'",
        "'Base.scratch'", "'Base.text'", "'Base.friends'", "'Base.friends'", "'Base.kids'", "'Kid'", "'Kid.recent'",
      ])
    #expect(
      remarks.filter { $0.effect == .differs }.map(\.place) == ["'Base'", "'Base'", "'Base.count'", "'Base.kids'"])
  }

  private static func entity(_ name: String, _ attributes: String...) -> String {
    "<entity name=\"\(name)\">"
      + attributes.map { "<attribute name=\"\($0)\" \(optional)\"String\"/>" }.joined() + "</entity>"
  }

  @Test func `A bundle becomes versioned schemas with a plan, of which equal ones are not both part`() throws {
    let required = #"<entity name="A"><attribute name="x" attributeType="Date"/></entity>"#
    let source = try bundle(
      [
        "App": Self.entity("A", "x"), "App 2": Self.entity("A", "x", "y"), "App 4": Self.entity("A", "x"),
        "App 5": required,
      ], current: "App 5"
    ).swiftDataSource()
    for part in [
      "enum AppV1: VersionedSchema {\n    static let versionIdentifier = Schema.Version(1, 0, 0)\n",
      "enum AppV2: VersionedSchema {",
      """
      enum AppMigrationPlan: SchemaMigrationPlan {
          static var schemas: [any VersionedSchema.Type] {
              [AppV2.self, AppV4.self, AppV5.self]
          }

          static var stages: [MigrationStage] {
              [
                  // Loses values: 'A.y': the attribute is removed with all its values
                  .lightweight(fromVersion: AppV2.self, toVersion: AppV4.self),
      """,
      "\n            .custom(fromVersion: AppV4.self, toVersion: AppV5.self, willMigrate: nil, didMigrate: nil),\n",
      "\n// The rest of the app uses the latest version.\ntypealias A = AppV5.A\n",
    ] {
      #expect(source.text.contains(part), "\(part)\nin\n\(source.text)")
    }
    #expect(
      source.remarks.map(\.text) == [
        "SwiftData refuses two schemas with one checksum, and 'AppV4' has the same; the plan leaves this one out",
        "the stage needs a version between the two, since it cannot be lightweight: 'A.x': source and destination "
          + "attribute types are incompatible (String and Date)",
      ])
  }

  @Test func `A version that is asked for stands alone, and one after the current one is remarked`() throws {
    let source = try bundle(["App": Self.entity("A", "x"), "App 2": Self.entity("A", "y")], current: "App")
    #expect(try source.swiftDataSource().remarks.map(\.place) == ["plan"])
    let one = try ModelSource("\(source.path):App 2").swiftDataSource()
    #expect(one.text.contains("final class A {\n    var y: String?\n") && !one.text.contains("VersionedSchema"))
  }

  @Test func `Names of the model cannot end a comment or a literal, nor hide the types that the source uses`() throws {
    let (text, remarks) = try swiftData(
      """
      <entity name="Model"><attribute name="a`b&#10;import Evil" \(Self.optional)"String"/>
      <attribute name="my name" \(Self.optional)"Date"/>
      <attribute name="Date" \(Self.optional)"Date" defaultDateTimeInterval="1.5"/>
      <attribute name="s" \(Self.optional)"String" defaultValueString="\\(exit(1))&#x2028;"/></entity>
      """)
    #expect(!text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("import Evil") })
    for line in [
      "@SwiftData.Model", "    var Date: Foundation.Date? = Foundation.Date(timeIntervalSinceReferenceDate: 1.5)",
      "    var _a_b_import_Evil: String?", "    var `my name`: Foundation.Date?",
      #"    var s: String? = "\\(exit(1))\u{2028}""#,
    ] {
      #expect(text.contains("\(line)\n"), "\(line)\nin\n\(text)")
    }
    #expect(remarks.map(\.text) == ["Swift has no name 'a`b\nimport Evil'; the version hash differs"])
  }

  // MARK: - NSManagedObject

  @Test func `A model becomes the classes that Xcode generates`() throws {
    let source = try source(
      """
      <entity name="Trip" representedClassName=".TripMO"><attribute name="at" \(Self.optional)"Date"/>
      <attribute name="n" attributeType="Integer 32" usesScalarValueType="YES"/>
      <attribute name="old" \(Self.optional)"Boolean" usesScalarValueType="NO"/>
      <relationship name="stops" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify"
       destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/></entity>
      <entity name="Stop" parentEntity="Trip">
      <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify"
       destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/></entity>
      """
    ).load().managedObjectSource
    #expect(source.remarks.isEmpty)
    #expect(
      source.text.split(separator: "import Foundation\n\n").last.map(String.init) == """
        @objc(TripMO)
        public class TripMO: NSManagedObject {
        }

        extension TripMO {
            @nonobjc public class func fetchRequest() -> NSFetchRequest<TripMO> {
                NSFetchRequest<TripMO>(entityName: "Trip")
            }

            @NSManaged public var at: Date?
            @NSManaged public var n: Int32
            @NSManaged public var old: NSNumber?
            @NSManaged public var stops: NSOrderedSet?
        }

        // MARK: Generated accessors for stops
        extension TripMO {
            @objc(insertObject:inStopsAtIndex:)
            @NSManaged public func insertIntoStops(_ value: Stop, at idx: Int)

            @objc(removeObjectFromStopsAtIndex:)
            @NSManaged public func removeFromStops(at idx: Int)

            @objc(insertStops:atIndexes:)
            @NSManaged public func insertIntoStops(_ values: [Stop], at indexes: NSIndexSet)

            @objc(removeStopsAtIndexes:)
            @NSManaged public func removeFromStops(at indexes: NSIndexSet)

            @objc(replaceObjectInStopsAtIndex:withObject:)
            @NSManaged public func replaceStops(at idx: Int, with value: Stop)

            @objc(replaceStopsAtIndexes:withStops:)
            @NSManaged public func replaceStops(at indexes: NSIndexSet, with values: [Stop])

            @objc(addStopsObject:)
            @NSManaged public func addToStops(_ value: Stop)

            @objc(removeStopsObject:)
            @NSManaged public func removeFromStops(_ value: Stop)

            @objc(addStops:)
            @NSManaged public func addToStops(_ values: NSOrderedSet)

            @objc(removeStops:)
            @NSManaged public func removeFromStops(_ values: NSOrderedSet)
        }

        extension TripMO: Identifiable {
        }

        @objc(Stop)
        public class Stop: TripMO {
        }

        extension Stop {
            @nonobjc public class func fetchRequest() -> NSFetchRequest<Stop> {
                NSFetchRequest<Stop>(entityName: "Stop")
            }

            @NSManaged public var trip: TripMO?
        }

        """)
  }
}
