internal import CoreDataExpressions
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

extension StoreWriter {
  /// What of the attached source the plan cannot carry over: values in files that would have to be read into columns.
  ///
  /// Ask before running the plan, while there is still another way.
  package func obstacles(to plan: BulkPlan) throws(MigrationError) -> [String] {
    try reporting(path: path) {
      try plan.fileChecks.compactMap { check in
        let count = try connection.integer(fragment: check.statement) ?? 0
        return count == 0 ? nil : "\(check.entity).\(check.attribute): \(Self.inFiles(count))"
      }
    }
  }

  /// Carries a plan out with the attached source.
  ///
  /// - Parameters:
  ///   - plan: A plan for the source's layout and for this store's.
  ///   - didCopy: Called after each mapping.
  /// - Throws: `MigrationError`; what was written is to be thrown away then.
  package func run(
    _ plan: BulkPlan, didCopy: ((BulkResult.MappingCount) throws -> Void)? = nil
  ) throws(MigrationError) -> BulkResult {
    try run(plan, slices: nil, didSlice: nil, didCopy: didCopy)
  }

  /// Carries a plan out, a part of the rows at a time.
  ///
  /// - Parameters:
  ///   - plan: A plan for the source's layout and for this store's.
  ///   - slices: The keys of the rows to copy at a time, for a plan that copies one table; `nil` for all rows at once.
  ///   - didSlice: Called after each slice, with its place.
  ///   - didCopy: Called after each mapping.
  /// - Throws: `MigrationError`; what was written is to be thrown away then.
  func run(
    _ plan: BulkPlan, slices: [ClosedRange<Int64>]?, didSlice: ((Int) throws -> Void)?,
    didCopy: ((BulkResult.MappingCount) throws -> Void)?
  ) throws(MigrationError) -> BulkResult {
    try reporting(path: path) {
      try requireNoFiles(plan)
      var result = BulkResult()
      for copy in plan.copies {
        let count = try run(copy, slices, didSlice)
        result.mappings.append(count)
        try didCopy?(count)
      }
      for step in plan.steps {
        if let condition = step.condition, try connection.integer(fragment: condition) == nil { continue }
        _ = try connection.run(fragment: step.statement)
      }
      for join in plan.joins { result.joinTableRows[join.table] = try connection.run(fragment: join.statement) }
      for key in plan.keys {
        let count = try connection.integer(
          fragment:
            "SELECT count(\(identifier: key.column)) FROM \(.destinationTable(key.table))")
        result.keyLinks["\(key.entity).\(key.relationship)"] = Int(clamping: count ?? 0)
      }
      if let error = MigrationError(try StoreValidator(self).uniquenessFailures(), path: path) { throw error }
      return result
    }
  }

  private func run(
    _ copy: BulkPlan.Copy, _ slices: [ClosedRange<Int64>]?, _ didSlice: ((Int) throws -> Void)?
  ) throws -> BulkResult.MappingCount {
    let table = SQLFragment.destinationTable(copy.destinationTable)
    if try connection.integer(fragment: "SELECT 1 FROM \(table) LIMIT 1") != nil,
      let key = try connection.integer(fragment: "\(copy.sharedKeys) LIMIT 1")
    {
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(path: path, entity: copy.destinationEntity, row: key),
        detail: "mapping '\(copy.mappingName)' gives a second instance the same primary key (134111)")
    }
    let written: Int
    do {
      written =
        if let slices {
          try run(copy.slice, slices, didSlice)
        } else {
          try connection.run(fragment: copy.statement)
        }
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.duplicatePrimaryKey {
      // A row comes twice only where pages of the source lead to others more than once.
      throw MigrationError(.damaged, path: path, detail: "a primary key comes more than once (\(error.message))")
    }
    let read = try copy.count.map { Int(clamping: try connection.integer(fragment: $0) ?? 0) } ?? written
    return BulkResult.MappingCount(
      mappingName: copy.mappingName, sourceEntity: copy.sourceEntity, destinationEntity: copy.destinationEntity,
      sourceInstances: read, destinationInstances: written)
  }

  private func run(
    _ slice: SQLFragment, _ slices: [ClosedRange<Int64>], _ didSlice: ((Int) throws -> Void)?
  ) throws -> Int {
    let statement = try connection.prepare(fragment: slice)
    let bounds = Int32(slice.arguments.count - 1)
    var written = 0
    for (place, keys) in slices.enumerated() {
      try statement.bind(keys.lowerBound, at: bounds)
      try statement.bind(keys.upperBound, at: bounds + 1)
      try statement.run()
      written += connection.changes
      try didSlice?(place)
    }
    return written
  }

  private func requireNoFiles(_ plan: BulkPlan) throws {
    for check in plan.fileChecks {
      guard let count = try connection.integer(fragment: check.statement), count > 0 else { continue }
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(path: path, entity: check.entity, property: check.attribute),
        detail: "\(Self.inFiles(count)), and the new model wants \(count == 1 ? "it" : "them") in the store")
    }
  }

  private static func inFiles(_ count: Int64) -> String {
    "\(count.counting("value")) \(count == 1 ? "lies in a file" : "lie in files")"
  }
}
