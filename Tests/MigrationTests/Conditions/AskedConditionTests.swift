import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

/// Conditions as people write them, fitted to a model.
@Suite("Conditions that a person asks")
struct AskedConditionTests {
  private func fitted(_ format: String, on entity: String = "Track") throws -> String {
    let condition = try AskedCondition(
      Predicate(format: format), onEntityNamed: entity, of: TrackModels.v2, now: 1000)
    return "\(condition.predicate)"
  }

  private func refusal(_ format: String, on entity: String = "Track") throws -> MigrationError {
    let error = #expect(throws: MigrationError.self) { try fitted(format, on: entity) }
    return try #require(error)
  }

  /// A condition, and one in Core Data's language that means the same.
  private static let dates = [
    ("lastPlayedAt > '2001-01-02'", #"lastPlayedAt > CAST(86400.0, "NSDate")"#),
    ("'2001-01-01T01:00:00+01:00' <= lastPlayedAt", #"CAST(0.0, "NSDate") <= lastPlayedAt"#),
    (
      "lastPlayedAt BETWEEN {'2001-01-01', now()}",
      #"lastPlayedAt BETWEEN {CAST(0.0, "NSDate"), CAST(1000.0, "NSDate")}"#
    ),
    ("lastPlayedAt IN {'2001-01-01', nil}", #"lastPlayedAt IN {CAST(0.0, "NSDate"), nil}"#),
    ("lastPlayedAt == nil", "lastPlayedAt == nil"),
    (
      "lastPlayedAt < now() - 60",
      #"lastPlayedAt < CAST(CAST(CAST(1000.0, "NSDate"), "NSNumber") - 60, "NSDate")"#
    ),
    (
      #"lastPlayedAt < FUNCTION(now(), "dateByAddingTimeInterval:", -60)"#,
      #"lastPlayedAt < CAST(CAST(CAST(1000.0, "NSDate"), "NSNumber") + -60, "NSDate")"#
    ),
    (
      "lastPlayedAt + 60 > now()",
      #"CAST(CAST(lastPlayedAt, "NSNumber") + 60, "NSDate") > CAST(1000.0, "NSDate")"#
    ),
    (
      "lastPlayedAt > '2001-01-02' - 60",
      #"lastPlayedAt > CAST(CAST(CAST(86400.0, "NSDate"), "NSNumber") - 60, "NSDate")"#
    ),
    (
      "now() - lastPlayedAt > 60",
      #"CAST(CAST(1000.0, "NSDate"), "NSNumber") - CAST(lastPlayedAt, "NSNumber") > 60"#
    ),
    (
      "lastPlayedAt - '2001-01-01' > 60",
      #"CAST(lastPlayedAt, "NSNumber") - CAST(CAST(0.0, "NSDate"), "NSNumber") > 60"#
    ),
    ("title == '2001-01-01'", #"title == "2001-01-01""#),
    ("NOT (title == nil OR lastPlayedAt > '2001-01-01')", #"NOT (title == nil OR lastPlayedAt > CAST(0.0, "NSDate"))"#),
    (
      "TERNARY(title == nil, lastPlayedAt, now()) > '2001-01-01'",
      #"TERNARY(title == nil, lastPlayedAt, CAST(1000.0, "NSDate")) > CAST(0.0, "NSDate")"#
    ),
  ]

  @Test(arguments: dates) func `Dates are put where a condition is about dates`(asked: String, meant: String) throws {
    #expect(try fitted(asked) == "\(Predicate(format: meant))")
  }

  @Test(arguments: [
    ("ANY tracks.lastPlayedAt > '2001-01-01'", #"ANY tracks.lastPlayedAt > CAST(0.0, "NSDate")"#),
    ("tracks.@max.lastPlayedAt > '2001-01-01'", #"tracks.@max.lastPlayedAt > CAST(0.0, "NSDate")"#),
    (
      "SUBQUERY(tracks, $t, $t.lastPlayedAt > '2001-01-01').@count > 1",
      #"SUBQUERY(tracks, $t, $t.lastPlayedAt > CAST(0.0, "NSDate")).@count > 1"#
    ),
    ("tracks.@count > '2001-01-01'", #"tracks.@count > "2001-01-01""#),
  ])
  func `Dates of other rows are found through relationships`(asked: String, meant: String) throws {
    #expect(try fitted(asked, on: "Artist") == "\(Predicate(format: meant))")
  }

  @Test(arguments: [
    "lastPlayedAt > 'yesterday'", "lastPlayedAt IN {'2001-02-30'}", "lastPlayedAt > 2001-01-01", "now() > 5",
    "lastPlayedAt > 'yesterday' + 60", "lastPlayedAt > '2001-01-01' * 2",
  ])
  func `What is compared with a date and is none is refused`(format: String) throws {
    let error = try refusal(format)
    #expect(error.code == .invalidCondition && error.exitStatus == 64)
    #expect(error.detail?.hasSuffix(" is not a date") == true, "\(error.detail ?? "")")
    #expect(ErrorMessage(error).advice.contains("'2023-01-31'"))
  }

  @Test(arguments: [
    ("titel == 'x'", "Track", "titel", "Did you mean 'title'?"),
    ("Title == 'x'", "Track", "Title", "Did you mean 'title'?"),
    ("ANY artists.nam == 'x'", "Artist", "nam", "Did you mean 'name'?"),
    (
      "length(nothing) == 1", "Track", "nothing",
      "Its attributes and relationships are artists, imageURL, lastPlayedAt, title."
    ),
    ("title == Hello", "Track", "Hello", "Text needs quotes: 'Hello'."),
    ("title IN {'a', b}", "Track", "b", "Text needs quotes: 'b'."),
    ("title == titles", "Track", "titles", "Text needs quotes: 'titles'. Did you mean 'title'?"),
    ("artists.count > 1", "Artist", "count", "Did you mean '@count'?"),
  ])
  func `A key that the entity does not have is reported about the entity`(
    format: String, entity: String, key: String, advice: String
  ) throws {
    let error = try refusal(format)
    #expect(error.code == .invalidCondition && error.exitStatus == 64)
    #expect(error.detail == "the entity '\(entity)' has no attribute '\(key)'")
    #expect(ErrorMessage(error).advice == advice)
  }
}
