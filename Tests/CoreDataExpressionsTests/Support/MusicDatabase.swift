import CoreDataExpressions
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// The same random rows twice: in tables in memory, and as objects.
final class MusicDatabase {
  let connection: Connection
  private(set) var tracks: [TestObject] = []
  /// A connection has a file, though nothing is ever written to this one.
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite").path

  /// Fills a library.
  ///
  /// - Parameter texts: What names and titles are chosen from; they may also be nil.
  init(_ random: inout SeededGenerator, texts: [String]) throws {
    connection = try Connection(path: path, access: .create)
    try connection.execute(MusicNaming.schema)
    for function in SQLFunction.allCases {
      try connection.createFunction(function.name, argumentCount: 1) { texts in
        function.apply(texts[0]).map { .text($0) } ?? .null
      }
    }
    let names = texts.map { ExpressionValue.string($0) } + [.null]
    let labels = try (1...2).map { try insert("ZLABEL", $0, [("name", random.pick(names))]) }
    let albums = try (1...5).map { key in
      try insert(
        "ZALBUM", key,
        [
          ("name", random.pick(names)), ("year", random.pick([.null, 1969, 1970, 2000])),
          ("score", random.pick([.null, 0.0, -1.5, 2.25, 7.0])), ("label", Self.some(&random, of: labels)),
        ])
    }
    let artists = try (1...5).map { key in
      try insert("ZARTIST", key, [("name", random.pick(names)), ("age", random.pick([.null, 0, 20, 33, 70]))])
    }
    tracks = try (1...24).map { try track($0, &random, names, albums) }
    try link(artists, &random)
    for album in albums { collect("album", "tracks", album, tracks) }
    for label in labels { collect("label", "albums", label, albums) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The primary keys of the tracks that satisfy a condition.
  func tracks(where condition: SQLFragment) throws -> [Int64] {
    let statement = try connection.prepare("SELECT Z_PK FROM ZTRACK t0 WHERE \(condition.sql) ORDER BY Z_PK")
    try bind(condition.arguments, to: statement)
    var keys: [Int64] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }

  private func track(
    _ key: Int, _ random: inout SeededGenerator, _ names: [ExpressionValue], _ albums: [TestObject]
  ) throws -> TestObject {
    let code = UUIDValue(bytes: [UInt8](repeating: UInt8(key % 3), count: 16))
    return try insert(
      "ZTRACK", key,
      [
        ("title", random.pick(names)), ("rating", random.pick([.null, -1, 0, 1, 2, 5])),
        ("plays", random.pick([.null, 0, 1, 7, .integer(.max), .integer(.min)])),
        ("length", random.pick([.null, 0.0, 1.0, 2.5, -0.75, 240.0])),
        ("added", random.pick([.null, .date(0), .date(5), .date(700_000_000.25), .date(-3.5)])),
        ("liked", random.pick([.null, true, false])), ("code", code.map { .uuid($0) } ?? .null),
        ("price", random.pick([.null, 1.5])),
        ("album", Self.some(&random, of: albums)),
      ])
  }

  private func insert(_ table: String, _ key: Int, _ values: [(String, ExpressionValue)]) throws -> TestObject {
    let columns = ["Z_PK"] + values.map { "Z" + $0.0.uppercased() }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try connection.prepare(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))")
    try bind([.integer(Int64(key))] + values.map { Self.argument($0.1) }, to: statement)
    try statement.run()
    let object = TestObject(Dictionary(uniqueKeysWithValues: values))
    object.values["key"] = .integer(Int64(key))
    return object
  }

  private func link(_ artists: [TestObject], _ random: inout SeededGenerator) throws {
    for (number, track) in tracks.enumerated() {
      let chosen = artists.enumerated().filter { _ in random.chance(oneIn: 3) }
      track.values["artists"] = .collection(.set, chosen.map { .object($0.element) })
      for artist in chosen {
        try connection.execute("INSERT INTO Z_1TRACKS VALUES (\(artist.offset + 1), \(number + 1))")
      }
    }
  }

  private func collect(_ key: String, _ inverse: String, _ target: TestObject, _ sources: [TestObject]) {
    let members = sources.filter { $0.values[key] == .object(target) }
    target.values[inverse] = .collection(.set, members.map { .object($0) })
  }

  private static func some(_ random: inout SeededGenerator, of objects: [TestObject]) -> ExpressionValue {
    random.chance(oneIn: 4) ? .null : .object(random.pick(objects))
  }

  private func bind(_ arguments: [SQLArgument], to statement: Statement) throws {
    for (index, argument) in zip(Int32(1)..., arguments) {
      switch argument {
      case .null: try statement.bindNull(at: index)
      case .integer(let value): try statement.bind(value, at: index)
      case .real(let value): try statement.bind(value, at: index)
      case .text(let value): try statement.bind(value, at: index)
      case .blob(let value): try statement.bind(value, at: index)
      }
    }
  }

  private static func argument(_ value: ExpressionValue) -> SQLArgument {
    switch value {
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value), .date(let value): .real(value)
    case .string(let value): .text(value)
    case .uuid(let value): .blob(value.bytes)
    case .object(let object): (object as? TestObject)?.values["key"].map { argument($0) } ?? .null
    default: .null
    }
  }
}
