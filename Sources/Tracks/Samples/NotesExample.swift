internal import CoreDataExpressions
package import DataModel
package import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import Policies
internal import TrackLibrary

/// The versions of the note library's data model, as `SampleData/Notes/Notes.xcdatamodeld` has them for Xcode.
package enum NotesModel {
  /// `Note` alone.
  package static let v1 = ManagedObjectModel.example(EntityDescription("Note", attributes: note))

  /// A note may have a picture.
  package static let v2 = ManagedObjectModel.example(
    EntityDescription("Note", attributes: note + [image(isOptional: true)]))

  /// A note may have several attachments, which are pictures.
  package static let v3 = ManagedObjectModel.example(
    noteWithAttachments,
    EntityDescription(
      "Attachment", attributes: [dateCreated, image(isOptional: false)], relationships: [noteOfAttachment]))

  /// Pictures are one kind of attachment.
  package static let v4 = ManagedObjectModel.example(
    noteWithAttachments,
    EntityDescription("Attachment", attributes: [dateCreated], relationships: [noteOfAttachment]),
    EntityDescription(
      "ImageAttachment", superentityName: "Attachment",
      attributes: [
        AttributeDescription("caption", .string, isOptional: false),
        AttributeDescription("height", .float, isOptional: false, defaultValue: .double(0)),
        image(isOptional: true),
        AttributeDescription("width", .float, isOptional: false, defaultValue: .double(0)),
      ]))

  /// All versions, in order.
  package static let all = [v1, v2, v3, v4]

  private static let dateCreated = AttributeDescription("dateCreated", .date, isOptional: false)
  private static let note = [
    AttributeDescription("body", .string), dateCreated,
    AttributeDescription("displayIndex", .integer64, isOptional: false, defaultValue: .integer(0)),
    AttributeDescription("title", .string, isOptional: false),
  ]
  private static let noteWithAttachments = EntityDescription(
    "Note", attributes: note, relationships: [RelationshipDescription("attachments", to: "Attachment", inverse: "note")]
  )
  private static let noteOfAttachment = RelationshipDescription("note", to: "Note", inverse: "attachments", maxCount: 1)

  private static func image(isOptional: Bool) -> AttributeDescription {
    AttributeDescription("image", .transformable, isOptional: isOptional, valueTransformerName: "ImageTransformer")
  }
}

/// The mapping models between the versions of the note library.
package enum NotesMapping {
  /// From version 1 to 2, as it is inferred: the picture is new and optional.
  package static var v1ToV2: MappingModel {
    MappingModel(entityMappings: [.example(from: ("Note", NotesModel.v1), to: ("Note", NotesModel.v2))])
  }

  /// From version 2 to 3: each note with a picture also becomes an attachment.
  ///
  /// Notes have no mapping of their `attachments`, for the inverse makes the link.
  package static var v2ToV3: MappingModel {
    let (v2, v3) = (NotesModel.v2, NotesModel.v3)
    var attachments = EntityMapping.example(
      from: ("Note", v2), to: ("Attachment", v3),
      relationships: [
        PropertyMapping(
          name: "note",
          valueExpression: .destinationInstances(entityMappingNamed: "NoteToNote", sourceInstances: .source))
      ])
    attachments.filterPredicate = .compare(.key("image"), .notEqual, .null)
    return MappingModel(entityMappings: [.example(from: ("Note", v2), to: ("Note", v3)), attachments])
  }

  /// From version 3 to 4: every attachment becomes an image attachment, whose policy determines its other values.
  ///
  /// There is no mapping of attachments to attachments, and none for what the policy sets.
  package static var v3ToV4: MappingModel {
    let (v3, v4) = (NotesModel.v3, NotesModel.v4)
    var attachments = EntityMapping.example(
      from: ("Attachment", v3), to: ("ImageAttachment", v4),
      policy: AttachmentToImageAttachmentMigrationPolicyV3toV4.className, relationships: [.relationship("note")])
    attachments.attributeMappings.removeAll { ["caption", "height", "width"].contains($0.name) }
    return MappingModel(entityMappings: [
      .example(from: ("Note", v3), to: ("Note", v4), relationships: [.relationship("attachments")]), attachments,
    ])
  }
}

/// A note in version 1 or 2.
private struct NoteRow {
  var title: String
  var body: String?
  /// Seconds since 2001.
  var dateCreated: Double = 600_000_000
  var displayIndex: Int64 = 0
  /// The picture, since version 2.
  var image: [UInt8]?

  init(_ title: String, _ body: String? = "A short body.", image: [UInt8]? = nil) {
    self.title = title
    self.body = body
    self.image = image
  }
}

/// The notes at the start of a library with oddities.
private enum NoteOddity {
  static let all: [NoteRow] = bodies + values + images

  private static let picture = SamplePicture(width: 12, height: 8)

  /// The text that captions are made from: at most 80 UTF-16 units.
  private static let bodies = [
    NoteRow("A note without a body", nil, image: picture.png),
    NoteRow("A note with an empty body", "", image: picture.png),
    NoteRow("A body of 79 units", text(79), image: picture.png),
    NoteRow("A body of 80 units", text(80), image: picture.jpeg),
    NoteRow("A body of 81 units", text(81), image: picture.gif),
    NoteRow("A body with an emoji across the cut", text(79) + "😀 and on", image: picture.png),
    NoteRow("A body with an emoji before the cut", text(78) + "😀 and on", image: picture.png),
    NoteRow("A body of emoji", String(repeating: "😀", count: 60), image: picture.png),
    NoteRow("A body with a joined emoji across the cut", text(77) + "👩🏽‍🚀 and on", image: picture.png),
    NoteRow("A body with a decomposed letter across the cut", text(79) + "e\u{301} and on", image: picture.png),
    NoteRow("A body of several lines", "One\nTwo\r\n\tThree", image: picture.png),
    NoteRow("A long body", String(repeating: "All work and no play. ", count: 400), image: picture.png),
    NoteRow("A body with quotes", "It's \"quoted\"; DROP TABLE ZNOTE; --", image: picture.png),
  ]

  /// Values to copy.
  private static let values: [NoteRow] = {
    var early = NoteRow("A note of before 2001", image: picture.png)
    early.dateCreated = -86_400.25
    var last = NoteRow("A note with the greatest index", image: picture.jpeg)
    last.displayIndex = .max
    var first = NoteRow("A note with the least index", image: picture.gif)
    first.displayIndex = .min
    return [early, last, first, NoteRow("", image: picture.png), NoteRow("📝 עברית", image: picture.png)]
  }()

  /// Images, some of which become attachments.
  private static let images = [
    NoteRow("No picture"),
    NoteRow("A large PNG", image: SamplePicture(width: 2000, height: 10).png),
    NoteRow("A tall JPEG", image: SamplePicture(width: 3, height: 500).jpeg),
    NoteRow("A JPEG with fill bytes and a comment", image: picture.jpegWithComment),
    NoteRow("A PNG that was cut off", image: Array(picture.png.prefix(20))),
    NoteRow("A JPEG that was cut off", image: Array(picture.jpeg.prefix(30))),
    NoteRow("A picture of no bytes", image: []),
    NoteRow("A picture that is text", image: Array("This is not a picture.".utf8)),
    NoteRow("A picture that is an archive", image: ArchivedText.bytes("a picture, once")),
  ]

  private static func text(_ count: Int) -> String {
    String("The quick brown fox jumps over the lazy dog while the cat sleeps on the warm stove all day.".prefix(count))
  }
}

/// Writes the rows of a note library.
struct NoteWriter {
  private static let words = [
    "bread", "call", "garden", "idea", "key", "lamp", "letter", "meeting", "milk", "morning", "paint", "paper", "plan",
    "rain", "shelf", "table", "ticket", "train", "walk", "window", "übermorgen", "été", "мост", "☂️",
  ]

  private let library: ExampleLibrary
  private let writer: StoreWriter
  private let hasImages: Bool

  init(_ library: ExampleLibrary, _ writer: StoreWriter, hasImages: Bool) {
    self.library = library
    self.writer = writer
    self.hasImages = hasImages
  }

  func insert() throws(MigrationError) {
    let properties = ["title", "body", "dateCreated", "displayIndex"] + (hasImages ? ["image"] : [])
    let inserter = try writer.inserter(forEntityNamed: "Note", properties: properties)
    let oddities = library.includesOddities ? NoteOddity.all : []
    for index in 0..<library.count {
      try library.report(index)
      let note = index < oddities.count ? oddities[index] : ordinaryNote(index)
      let values: [ColumnValue] = [
        .text(note.title), ColumnValue(note.body), .real(note.dateCreated), .integer(note.displayIndex),
      ]
      try inserter.insert(
        primaryKey: Int64(index + 1), values: values + (hasImages ? [ColumnValue(note.image)] : []))
    }
    try library.report(library.count)
  }

  private func ordinaryNote(_ index: Int) -> NoteRow {
    var random = SplitMix64(seed: library.seed, purpose: .track, index: index)
    let body = (0...random.below(30)).map { _ in Self.words[random.below(Self.words.count)] }
    var note = NoteRow("Note \(index + 1)", body.joined(separator: " "), image: image(index))
    note.displayIndex = Int64(index)
    note.dateCreated = 600_000_000 + Double(index) * 3600 + Double(random.below(3600))
    return note
  }

  /// Three out of five notes have a picture.
  private func image(_ index: Int) -> [UInt8]? {
    guard hasImages else { return nil }
    var random = SplitMix64(seed: library.seed, purpose: .artist, index: index)
    let picture = SamplePicture(width: 1 + random.below(64), height: 1 + random.below(64))
    switch random.below(5) {
    case 0: return picture.png
    case 1: return picture.jpeg
    case 2: return picture.gif
    default: return nil
    }
  }
}
