import DataModel
import Foundation
import MigrationTesting
import PersistentStore
import SQLiteDatabase
import Samples
import StoreHealth
import Synchronization
import TestSupport
import Testing

/// The bytes of a healthy store, of which a test damages some.
struct DamagedStore {
  var bytes: [UInt8]
  let pageSize: Int

  /// Reads a store, whose log has been folded into it.
  init(_ path: String) throws {
    bytes = try Files.bytes(path)
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    pageSize = size == 1 ? 65536 : size
  }

  var pageCount: Int { bytes.count / pageSize }

  private func place(_ page: Int) -> Range<Int> { (page - 1) * pageSize..<page * pageSize }

  mutating func zero(page: Int) { zero(place(page)) }

  mutating func zero(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<bytes.count)
    bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
  }

  mutating func swap(page: Int, with other: Int) {
    let (one, two) = (Array(bytes[place(page)]), Array(bytes[place(other)]))
    bytes.replaceSubrange(place(page), with: two)
    bytes.replaceSubrange(place(other), with: one)
  }

  mutating func copy(page: Int, over other: Int) { bytes.replaceSubrange(place(other), with: bytes[place(page)]) }

  mutating func cut(to size: Int) { bytes = Array(bytes.prefix(size)) }

  /// The number of rows in a page, if it is a leaf of a table.
  func rowCount(ofPage page: Int) -> Int {
    let start = place(page).lowerBound
    return bytes[start] == 13 ? Int(bytes[start + 3]) << 8 | Int(bytes[start + 4]) : 0
  }

  /// Whether a value may end in a page: no other page follows it.
  private func endsValue(_ page: Int) -> Bool {
    let bytes = bytes[place(page)]
    return bytes.prefix(4).allSatisfy { $0 == 0 } && bytes.contains { $0 != 0 }
  }

  /// Zeroes, exchanges or cuts off pages at random.
  mutating func damage(_ random: inout SeededGenerator) -> String {
    var deeds: [String] = []
    for _ in 0..<random.pick(1, 1, 2, 3, 5) {
      switch random.number(0..<10) {
      case 0..<5:
        let page = random.number(1...pageCount)
        zero(page: page)
        deeds.append("zero \(page)")
      case 5..<9:
        let (one, two) = (random.number(1...pageCount), random.number(1...pageCount))
        // Nothing tells whose end is in a page that is full of one.
        guard !endsValue(one) || !endsValue(two) else { continue }
        swap(page: one, with: two)
        deeds.append("swap \(one) and \(two)")
      default:
        // No page can be damaged any more that is not there.
        let size = random.number(bytes.count / 2..<bytes.count)
        cut(to: size)
        return (deeds + ["cut to \(size)"]).joined(separator: ", ")
      }
    }
    return deeds.joined(separator: ", ")
  }
}

/// A healthy store of a kind, made once for all tests.
struct HealthySource: Sendable, CustomTestStringConvertible {
  let name: String
  let model: ManagedObjectModel
  private let make: @Sendable (String) throws -> Void
  var testDescription: String { name }

  /// The store's file.
  var path: String {
    get throws { try Self.made.path(of: self) }
  }

  fileprivate func write(to path: String) throws { try make(path) }

  static let tracks = HealthySource(name: "5,000 tracks", model: TrackModels.v1) { path in
    _ = try SampleLibrary(trackCount: 5000).write(to: path)
  }

  static let fewTracks = HealthySource(name: "100 tracks", model: TrackModels.v1) { path in
    _ = try SampleLibrary(trackCount: 100).write(to: path)
  }

  static let friends = HealthySource(name: "friends", model: FriendsModel.model) { path in
    try StoreFixture(model: FriendsModel.model, rowCount: 24).write(to: path)
  }

  static let media = HealthySource(name: "media", model: HealthFixture.model) { path in
    try StoreFixture(model: HealthFixture.model, rowCount: 24).write(to: path)
  }

  static let notes = HealthySource(name: "notes", model: NotesModel.all[NotesModel.all.count - 1]) { path in
    try StoreFixture(model: NotesModel.all[NotesModel.all.count - 1], rowCount: 24).write(to: path)
  }

  static let books = HealthySource(name: "books", model: BooksModel.all[0]) { path in
    try ExampleLibrary(.books, count: 60).write(to: path)
  }

  /// Kinds with every sort of table and value.
  static let small = [friends, media, notes, books, fewTracks]

  private static let made = SharedStores()
}

/// The stores that tests share, each made when the first test asks for it.
private final class SharedStores: Sendable {
  private let folder = Mutex<TemporaryFolder?>(nil)

  func path(of source: HealthySource) throws -> String {
    try folder.withLock { shared in
      let folder = try shared ?? TemporaryFolder(isInMemory: true)
      shared = folder
      let path = folder.file("\(source.name).sqlite")
      if !Files.exists(path) { try source.write(to: path) }
      return path
    }
  }
}

/// A model with relationships of every kind, several of them between the same entities.
enum FriendsModel {
  private static func many(
    _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = false
  ) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, isOrdered: isOrdered)
  }

  private static func one(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
    RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1)
  }

  private static func text(_ names: String...) -> [AttributeDescription] {
    names.map { AttributeDescription($0, .string) }
  }

  static let model = TrackModels.model([
    EntityDescription(
      "Person", uniquenessConstraints: [["mail"]],
      attributes: text("name", "mail", "bio") + [
        AttributeDescription("photo", .binaryData), AttributeDescription("born", .date),
        AttributeDescription("score", .double),
      ],
      relationships: [
        many("friends", "Person", "friends"), many("follows", "Person", "followers"),
        many("followers", "Person", "follows"), many("groups", "Group", "members"), many("admin", "Group", "admins"),
        one("boss", "Person", "staff"), many("staff", "Person", "boss", isOrdered: true),
        many("items", "Item", "owner"), many("loose", "Item", nil),
      ]),
    EntityDescription(
      "Group", attributes: text("title") + [AttributeDescription("ident", .uuid)],
      relationships: [many("members", "Person", "groups", isOrdered: true), many("admins", "Person", "admin")]),
    EntityDescription(
      "Item", isAbstract: true, attributes: text("label"),
      relationships: [
        one("owner", "Person", "items"), one("parent", "Item", "children"), many("children", "Item", "parent"),
      ]),
    EntityDescription(
      "Car", superentityName: "Item", attributes: text("text") + [AttributeDescription("wheels", .integer16)]),
    EntityDescription(
      "Boat", superentityName: "Item",
      attributes: text("text") + [AttributeDescription("length", .decimal), AttributeDescription("motor", .boolean)]),
  ])
}

/// A salvage in a folder of its own.
final class SalvageTrial {
  let folder: TemporaryFolder
  let path: String
  let output: String
  var salvage: StoreSalvage

  init(_ store: DamagedStore? = nil, models: [ManagedObjectModel] = []) throws {
    folder = try TemporaryFolder(isInMemory: true)
    (path, output) = (folder.file("Damaged.sqlite"), folder.file("New.sqlite"))
    if let store { try Files.write(store.bytes, to: path) }
    salvage = StoreSalvage(path: path, outputPath: output)
    salvage.candidates = models.enumerated().map { CandidateModel(name: "Model \($0.offset + 1)", model: $0.element) }
  }

  /// The lines of the file of rejects.
  func rejects() throws -> [[String: Any]] {
    guard Files.exists(output + ".rejects.ndjson") else { return [] }
    return try Files.text(output + ".rejects.ndjson").split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }
}

/// The differences of a new store from the healthy one.
struct SalvageDifference {
  /// Contents of the new store that were not in the healthy one and are not named.
  private(set) var wrong: [String] = []
  /// The number of values and links that the new store does not have.
  private(set) var missingCount = 0

  init(_ trial: SalvageTrial, _ source: HealthySource) throws {
    let (old, new) = (try StoreContents(source.path, source.model), try StoreContents(trial.output, source.model))
    let named = Set(
      try trial.rejects().compactMap { line -> String? in
        guard let relationship = line["relationship"] as? String, let entity = line["entity"] as? String,
          let key = line["key"] as? Int
        else { return nil }
        return "\(entity).\(relationship) \(key)"
      })
    let derived = Set(
      source.model.entities.flatMap { entity in
        entity.attributes.filter(\.isDerived).map { "\(entity.name).\($0.name)" }
      })
    for (property, lines) in new.lines where !derived.contains(property) {
      let known = Set(old.lines[property] ?? [])
      for line in lines where !known.contains(line) {
        let key = line.prefix { $0 != "|" }
        // A link to a row that was not found is not there, and is named.
        if line.hasSuffix("|NULL|NULL"), named.contains("\(property) \(key)") { continue }
        wrong.append("\(property): \(line.prefix(80))")
      }
    }
    missingCount = old.lines.reduce(0) { $0 + max(0, $1.value.count - (new.lines[$1.key]?.count ?? 0)) }
  }
}

extension TrackRow {
  /// A track with a title and a text of any length.
  init(_ key: Int64, title: String, text: String) { self.init(key, title: .text(title), json: .text(text)) }
}
