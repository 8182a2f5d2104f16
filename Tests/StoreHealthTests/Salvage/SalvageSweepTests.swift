import DataModel
import Foundation
import MigrationDiagnostics
import StoreHealth
import TestSupport
import Testing

/// Salvage compared with what is known: intact stores, and random damage to them.
@Suite("Salvage against the healthy store")
struct SalvageSweepTests {
  /// Rounds of random damage; `DIFFERENTIAL_COUNT` is set by `make differential`.
  private static let rounds = ProcessInfo.processInfo.environment["DIFFERENTIAL_COUNT"].flatMap { Int($0) } ?? 20
  private static let seed = ProcessInfo.processInfo.environment["DIFFERENTIAL_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(arguments: HealthySource.small)
  func `An intact store comes back as it is`(source: HealthySource) throws {
    let trial = try SalvageTrial(try DamagedStore(source.path), models: [source.model])
    let report = try trial.salvage.run()
    #expect(try StoreContents(trial.output, source.model) == StoreContents(source.path, source.model))
    #expect(report.rejects.isEmpty && report.unreadablePages.count == 0 && report.unclaimedPages.count == 0)
    let metadata = "SELECT Z_UUID, Z_PLIST FROM Z_METADATA"
    #expect(try Database.rows(metadata, in: trial.output) == Database.rows(metadata, in: source.path))
    let keys = "SELECT * FROM Z_PRIMARYKEY ORDER BY 1"
    #expect(try Database.rows(keys, in: trial.output) == Database.rows(keys, in: source.path))
    #expect(try Database.isWhole(trial.output))
  }

  @Test(arguments: HealthySource.small)
  func `After any damage, a row is right, missing or named`(source: HealthySource) throws {
    let healthy = try DamagedStore(source.path)
    var wrongCount = 0
    for round in 0..<UInt64(Self.rounds) {
      var random = SeededGenerator(seed: Self.seed &+ round)
      var store = healthy
      let deeds = store.damage(&random)
      let trial = try SalvageTrial(store, models: [source.model])
      do throws(MigrationError) {
        _ = try trial.salvage.run()
      } catch {
        // Without rows or a model there is nothing to salvage, and an error says so.
        #expect([.notADatabase, .notACoreDataStore, .unknownVersion, .damaged].contains(error.code), "\(error)")
        continue
      }
      let wrong = try SalvageDifference(trial, source).wrong
      #expect(wrong.isEmpty, "seed \(Self.seed &+ round), \(deeds): \(wrong.prefix(3))")
      #expect(try Database.isWhole(trial.output), "seed \(Self.seed &+ round), \(deeds)")
      wrongCount += wrong.count
    }
    print("differential: salvage of \(source.name): \(Self.rounds) cases, \(wrongCount) differences")
  }
}
