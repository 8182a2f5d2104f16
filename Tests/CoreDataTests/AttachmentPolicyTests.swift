import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// The policy of the notes example, unchanged.
@Suite(.serialized)
struct AttachmentPolicyTests {
  private static let created = AttributeDescription("dateCreated", .date)
  private static let image = AttributeDescription(
    "image", .transformable, valueTransformerName: "ImageTransformer")
  private static let note = RelationshipDescription("note", to: "Note", inverse: "attachments", maxCount: 1)
  private static let noteEntity = EntityDescription(
    "Note", attributes: [AttributeDescription("body", .string), created],
    relationships: [RelationshipDescription("attachments", to: "Attachment", inverse: "note")])

  private static let v3 = TrackModels.model([
    EntityDescription("Attachment", attributes: [created, image], relationships: [note]), noteEntity,
  ])

  private static let v4 = TrackModels.model([
    EntityDescription("Attachment", attributes: [created], relationships: [note]),
    EntityDescription(
      "ImageAttachment", superentityName: "Attachment",
      attributes: [
        AttributeDescription("caption", .string), image, AttributeDescription("width", .float),
        AttributeDescription("height", .float),
      ]), noteEntity,
  ])

  private static let body = String(repeating: "0123456789", count: 9)
  private static let png = "89504E470D0A1A0A0000000D49484452" + "00000140" + "000000F0"

  private func fixture() throws -> PolicyFixture {
    ValueTransformer.setValueTransformer(
      ImageTransformer(), forName: NSValueTransformerName(rawValue: "ImageTransformer"))
    var fixture = try PolicyFixture(
      Self.v3,
      """
      INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZBODY) VALUES (1, 2, 1, '\(Self.body)');
      INSERT INTO ZATTACHMENT (Z_PK, Z_ENT, Z_OPT, ZDATECREATED, ZIMAGE, ZNOTE) VALUES
        (1, 1, 1, 5.5, x'\(Self.png)', 1), (2, 1, 1, 6.5, NULL, 1);
      """)
    fixture.registry.register(AttachmentToImageAttachmentMigrationPolicyV3toV4.self)
    return fixture
  }

  private func attachments(_ fixture: PolicyFixture) -> EntityMapping {
    var mapping = fixture.mapping(
      "Attachment", to: "ImageAttachment", in: Self.v4,
      policy: "UnCloudNotes.AttachmentToImageAttachmentMigrationPolicyV3toV4")
    mapping.relationshipMappings = [
      PropertyMapping(
        name: "note",
        valueExpression: .destinationInstances(
          entityMappingNamed: "NoteToNote", sourceInstances: .source("note")))
    ]
    return mapping
  }

  @Test func `Attachments get expressions' values, the image's size and the note's caption`() throws {
    let fixture = try fixture()
    try fixture.migrate(to: Self.v4, fixture.mapping("Note", in: Self.v4), attachments(fixture))
    #expect(
      try fixture.rows("SELECT Z_ENT, ZDATECREATED, ZWIDTH, ZHEIGHT, ZCAPTION, ZNOTE, hex(ZIMAGE) FROM ZATTACHMENT")
        == [
          "2|5.5|320.0|240.0|\(Self.body.prefix(80))|1|\(Self.png)", "2|6.5|NULL|NULL|\(Self.body.prefix(80))|1|",
        ])
  }

  @Test func `An error of the policy has its reason, mapping and row`() throws {
    let fixture = try fixture()
    var mapping = attachments(fixture)
    mapping.attributeMappings = []
    let error = try #require(throws: MigrationError.self) { try fixture.migrate(to: Self.v4, mapping) }
    #expect(error.code == .policyFailed)
    #expect(error.detail?.contains("No Attribute Mappings found!") == true)
    #expect(error.detail?.contains("Migration 0") == true)
    #expect(error.subject.name == "AttachmentToImageAttachment")
    #expect(error.subject.row == 1)
    mapping.attributeMappings = [PropertyMapping(name: "", valueExpression: nil)]
    Files.remove(fixture.destination)
    let second = try #require(throws: MigrationError.self) { try fixture.migrate(to: Self.v4, mapping) }
    #expect(second.detail?.contains("Attribute destination not configured properly") == true)
  }

  @Test func `An image without its transformer is its stored data`() throws {
    let fixture = try fixture()
    ValueTransformer.setValueTransformer(nil, forName: NSValueTransformerName("ImageTransformer"))
    try fixture.migrate(to: Self.v4, fixture.mapping("Note", in: Self.v4), attachments(fixture))
    #expect(try fixture.rows("SELECT ZWIDTH, hex(ZIMAGE) FROM ZATTACHMENT WHERE Z_PK = 1") == ["NULL|\(Self.png)"])
  }

  @Test func `An object that no transformer accepts is an error`() throws {
    var fixture = try fixture()
    fixture.registry.register("Probe") {
      ProbePolicy { _, made, _ in made.setValue(NSObject(), forKey: "image") }
    }
    ValueTransformer.setValueTransformer(nil, forName: NSValueTransformerName("ImageTransformer"))
    var mapping = attachments(fixture)
    mapping.entityMigrationPolicyClassName = "Probe"
    let error = try #require(throws: MigrationError.self) { try fixture.migrate(to: Self.v4, mapping) }
    #expect(error.subject.property == "image")
  }
}
