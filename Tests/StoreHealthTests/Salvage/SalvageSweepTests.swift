import DataModel
import Foundation
import MigrationDiagnostics
import StoreHealth
import TestSupport
import Testing

/// Salvage compared with what is known: intact stores, and random damage to them.
@Suite("Salvage against the healthy store")
struct SalvageSweepTests {
  private static let seeds = Rounds.seeds(10)

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
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
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
      #expect(wrong.isEmpty, "seed \(seed), \(deeds): \(wrong.prefix(3))")
      #expect(try Database.isWhole(trial.output), "seed \(seed), \(deeds)")
      wrongCount += wrong.count
    }
    print("differential: salvage of \(source.name): \(Self.seeds.count) cases, \(wrongCount) differences")
  }
}
