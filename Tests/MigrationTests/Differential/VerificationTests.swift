import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport
import Testing
import Verification

/// A verification finds nothing in what the migrations of random stores make, and everything that is changed afterwards.
struct VerificationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [false, true])
  func `random stores that were migrated by random mapping models`(isPerInstance: Bool) throws {
    let seeds = Rounds.seeds(24)
    var compared = 0
    for seed in seeds {
      guard let sample = DifferentialCase(seed: seed) else { continue }
      let paths = ["Old.sqlite", "New.sqlite"].map { folder.file($0) }
      defer { paths.forEach(Files.remove) }
      try SampleStore.write(sample.source, sample.rows, layout: sample.layout, to: paths[0])
      var options = MigrationManager.Options()
      (options.migratesPerInstance, options.validation) = (isPerInstance, .none)
      do {
        try SampleStore.migrate(
          paths[0], sample.source, to: paths[1], sample.destination, sample.mappingModel, options: options)
      } catch is MigrationError {
        continue
      }
      compared += 1
      let hop = MappedHop(
        source: sample.source, destination: sample.destination, mappingModels: [sample.mappingModel])
      expectNothing(in: try differences(paths[0], paths[1], [hop]), seed)
      try expectChanges(in: paths, [hop], seed)
    }
    #expect(compared >= seeds.count / 4, "\(compared)")
  }

  @Test func `random stores that were migrated by two inferred mapping models`() throws {
    var compared = 0
    let seeds = Rounds.seeds(24)
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let sketch = ModelSketch.random(&random)
      let second = sketch.changed(&random, version: 2, isGentle: true)
      let third = second.changed(&random, version: 3, isGentle: true)
      guard let old = sketch.model(), let middle = second.model(), let new = third.model(),
        let first = try? MappingModel.inferred(from: old, to: middle),
        let next = try? MappingModel.inferred(from: middle, to: new)
      else { continue }
      let paths = ["Old", "New", "Middle"].map { folder.file("\($0).sqlite") }
      defer { paths.forEach(Files.remove) }
      try SampleStore.write(old, SampleRows(old, hasFaults: false, &random).statements, to: paths[0])
      try SampleStore.migrate(paths[0], old, to: paths[2], middle, first)
      try SampleStore.migrate(paths[2], middle, to: paths[1], new, next)
      compared += 1
      let hops = [
        MappedHop(source: old, destination: middle, mappingModels: [first]),
        MappedHop(source: middle, destination: new, mappingModels: [next]),
      ]
      expectNothing(in: try differences(paths[0], paths[1], hops), seed)
      try expectChanges(in: paths, hops, seed)
    }
    #expect(compared >= seeds.count / 4, "\(compared)")
  }

  private func expectNothing(in found: (all: [String], findings: StoreVerification.Findings?), _ seed: UInt64) {
    #expect(found.all == [], "seed \(seed): \(found.findings?.unchecked ?? [])")
    #expect(found.findings != nil)
  }

  private func differences(
    _ old: String, _ new: String, _ hops: [MappedHop]
  ) throws -> (all: [String], findings: StoreVerification.Findings?) {
    let (source, result) = (try StoreReader(path: old), try StoreReader(path: new))
    var all: [String] = []
    let verification = StoreVerification(source: source, result: result, hops: hops)
    let findings = try verification.run(DifferenceLog(limit: 20) { all.append($0.description) })
    try source.close()
    try result.close()
    return (all, findings)
  }

  /// Changes each column of a row, each link and each row of a table in turn.
  private func expectChanges(in paths: [String], _ hops: [MappedHop], _ seed: UInt64) throws {
    // Each change means to look at everything again.
    guard seed.isMultiple(of: 3), let model = hops.last?.destination,
      let findings = try differences(paths[0], paths[1], hops).findings
    else {
      return
    }
    let schema = StoreSchema(model)
    let unchecked = findings.unchecked.map { String($0.prefix { $0 != ":" }) }
    var random = SeededGenerator(seed: seed)
    for table in schema.tables {
      // What is not known of an entity is not known of a table.
      let isKnown = !table.entityNames.contains { name in unchecked.contains { $0 == name } }
      guard isKnown, let key = try Database.value("SELECT max(Z_PK) FROM \(table.name)", in: paths[1]), key != "NULL"
      else {
        continue
      }
      try expectChange("DELETE FROM \(table.name) WHERE Z_PK = \(key)", paths, hops, seed)
      try expectChange("UPDATE \(table.name) SET Z_ENT = 99 WHERE Z_PK = \(key)", paths, hops, seed)
      guard let column = table.columns.randomElement(using: &random) else { continue }
      let property = column.propertyName
      guard !unchecked.contains(where: { $0.hasSuffix(".\(property)") }), case .attribute = column.content,
        let entity = try entity(of: key, in: table, schema, paths[1]),
        model.lineage(of: entity).contains(column.entityName),
        model.entity(named: entity)?.attribute(named: property)?.isDerived == false
      else { continue }
      let name = column.name
      try expectChange(
        """
        UPDATE \(table.name) SET \(name) = CASE typeof(\(name)) WHEN 'null' THEN 1 WHEN 'text' THEN \(name) || 'x'
          WHEN 'blob' THEN CAST(x'0102' || \(name) AS BLOB) ELSE CASE \(name) WHEN 7 THEN 8 ELSE 7 END END WHERE Z_PK = \(key)
        """, paths, hops, seed)
    }
    // A version in between may have had room for one link only.
    for table in hops.count == 1 ? schema.joinTables : [] {
      let ends = [table.naming, table.inverse].map { "\($0.entityName).\($0.relationshipName)" }
      // A mutual link counts as one, whichever way it is written down.
      guard !table.isReflexive, !ends.contains(where: { unchecked.contains($0) }),
        try Database.value("SELECT count(*) FROM \(table.name)", in: paths[1]) != "0"
      else { continue }
      try expectChange(
        "DELETE FROM \(table.name) WHERE rowid = (SELECT max(rowid) FROM \(table.name))", paths, hops, seed)
    }
  }

  private func entity(of key: String, in table: EntityTable, _ schema: StoreSchema, _ path: String) throws -> String? {
    let number = try Database.value("SELECT Z_ENT FROM \(table.name) WHERE Z_PK = \(key)", in: path)
    return table.entityNames.first { "\(schema.entityNumber($0))" == number }
  }

  private func expectChange(_ sql: String, _ paths: [String], _ hops: [MappedHop], _ seed: UInt64) throws {
    let changed = folder.file("Changed.sqlite")
    defer { Files.remove(changed) }
    try Files.write(try Files.bytes(paths[1]), to: changed)
    try Database.run(sql, in: changed)
    #expect(try !differences(paths[0], changed, hops).all.isEmpty, "seed \(seed): \(sql)")
  }
}
