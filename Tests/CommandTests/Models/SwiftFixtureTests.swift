import Foundation
import TestSupport
import Testing

@Suite("Fixtures of Swift source", .enabled(if: SwiftSource.hasToolchain))
struct SwiftFixtureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> CommandResult { try SwiftSource.run(words, in: folder) }

  private static func version(_ number: Int, _ more: String) -> String {
    """
    enum AppSchemaV\(number): VersionedSchema {
      static let versionIdentifier = Schema.Version(\(number), 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self] }
      @Model final class Trip {
        var kind: Kind
        var level: Level?
        var place: Place
        var state: State?
        var tags: [String]
        var counts: [Int]
        var checks = 0
        \(more)
        init() { fatalError() }
        enum Kind: String, Codable { case work = "WORK", play }
        struct Place: Codable { var name: String; var weight: Double; var level: Level; var note: String? }
      }
    }

    """
  }

  /// The closures read every value, so that one that is not of its type ends the migration.
  private static let app =
    "import SwiftData\nenum Level: Int, Codable { case low = -7, high = 1000 }\nenum State: Codable { case on, off }\n"
    + version(1, "") + version(2, "var note: String?")
      + """
      enum AppPlan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [AppSchemaV1.self, AppSchemaV2.self] }
        static var stages: [MigrationStage] {
          [.custom(fromVersion: AppSchemaV1.self, toVersion: AppSchemaV2.self, willMigrate: { context in
            for trip in try context.fetch(FetchDescriptor<AppSchemaV1.Trip>()) {
              trip.checks = trip.tags.count + trip.counts.count + (trip.level == nil ? 0 : 1)
              precondition(trip.kind == .work || trip.kind == .play)
              precondition(trip.state == nil || trip.state == .on || trip.state == .off)
            }
            try context.save()
          }, didMigrate: { context in
            for trip in try context.fetch(FetchDescriptor<AppSchemaV2.Trip>()) {
              trip.note = "\\(trip.kind.rawValue) \\(trip.place.level) \\(trip.tags.count)"
            }
            try context.save()
          })]
        }
      }

      """

  @Test func `Values are those that the app's types can have, so that closures read them`() throws {
    let model = try folder.source("Models", ["App.swift": Self.app])
    let rehearsal = try run("rehearse", model)
    #expect(rehearsal.status == 0 && rehearsal.stdout.contains("passed  AppSchemaV1 → AppSchemaV2  ("), "\(rehearsal)")
    #expect(try run("fixture", "new", "--model", "\(model):AppSchemaV1", "App.store").status == 0)
    let migrated = try run("App.store", "--model", model)
    #expect(migrated.status == 0, "\(migrated)")
    let notes = try Database.rows("SELECT DISTINCT ZNOTE FROM ZTRIP", in: folder.file("App.store"))
    let kinds = Set(notes.compactMap { $0.split(separator: " ").first })
    #expect(kinds == ["WORK", "play"], "\(notes)")
    #expect(Set(notes.compactMap { $0.split(separator: " ").dropFirst().first }) == ["low", "high"], "\(notes)")
    #expect(Set(notes.compactMap { $0.split(separator: " ").last }).count > 1, "\(notes)")
    // An optional enumeration is missing in some rows.
    let levels = try Database.rows("SELECT DISTINCT ZLEVEL FROM ZTRIP ORDER BY ZLEVEL", in: folder.file("App.store"))
    #expect(levels == ["NULL", "-7", "1000"] || levels == ["", "-7", "1000"], "\(levels)")
  }

  @Test func `An array keeps the type of its elements in Swift`() throws {
    let model = try folder.source("Models", ["App.swift": Self.app])
    let shown = try run("models", "show", model, "--as", "swift")
    #expect(shown.stdout.contains("var counts: [Int]\n") && shown.stdout.contains("var tags: [String]\n"), "\(shown)")
  }
}
