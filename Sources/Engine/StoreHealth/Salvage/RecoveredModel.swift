internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The model that a damaged store was written with, and the layout of its file.
struct RecoveredModel {
  /// The evidence for a model.
  enum Evidence {
    /// It has the version hashes of the store's metadata.
    case hashes
    /// It is the copy that the store keeps, and the metadata are lost.
    case ownCopy
    /// Of the candidates, it alone fits the tables or rows.
    case fit(name: String)
  }

  let model: ManagedObjectModel
  let evidence: Evidence
  /// The layout of the damaged file.
  let schema: StoreSchema

  /// Finds the model.
  ///
  /// - Throws: `MigrationError` if it is not known, or several candidates fit.
  static func find(
    _ path: String, _ declarations: StoreDeclarations, _ skeleton: StoreSkeleton, _ candidates: [CandidateModel],
    _ survey: PageSurvey
  ) throws(MigrationError) -> RecoveredModel {
    if let hashes = declarations.metadata?.versionHashes {
      let own = declarations.cachedModel.flatMap { $0.isCompatible(withVersionHashes: hashes) ? $0 : nil }
      guard let model = own ?? candidates.model(withVersionHashes: hashes)?.model else {
        var error = MigrationError(
          .unknownVersion, path: path,
          detail: "no known model has its version hashes, and "
            + (declarations.isModelCacheWhole && declarations.modelCache == nil
              ? "it keeps no copy of its own" : "the copy that it kept is lost"))
        error.advice = "Nothing was written. Name its model with \(.model)."
        throw error
      }
      return try choice(path, model, .hashes, skeleton)
    }
    if let model = declarations.cachedModel { return try choice(path, model, .ownCopy, skeleton) }
    let (fitting, faults) = try fittingCandidates(declarations, skeleton, candidates, survey)
    guard fitting.count == 1, let candidate = fitting.first else { throw doubt(path, fitting, faults) }
    return try choice(path, candidate.model, .fit(name: candidate.name), skeleton)
  }

  private static func choice(
    _ path: String, _ model: ManagedObjectModel, _ evidence: Evidence, _ skeleton: StoreSkeleton
  ) throws(MigrationError) -> RecoveredModel {
    let isCertain = if case .fit = evidence { false } else { true }
    do throws(MigrationError) {
      let schema = try skeleton.layout(of: model, isCertain: isCertain).schema
      return RecoveredModel(model: model, evidence: evidence, schema: schema)
    } catch let error where error.code == .damaged {
      var error = error.about(path)
      error.advice = "Nothing was written. Name its model with \(.model), or restore it from a backup."
      throw error
    }
  }

  /// The candidates that fit best, and the facts that speak against others.
  private static func fittingCandidates(
    _ declarations: StoreDeclarations, _ skeleton: StoreSkeleton, _ candidates: [CandidateModel], _ survey: PageSurvey
  ) throws(MigrationError) -> (fitting: [CandidateModel], faults: [String]) {
    var faults: [String] = []
    func layout(of candidate: CandidateModel) throws(MigrationError) -> (schema: StoreSchema, isCompleted: Bool)? {
      do throws(MigrationError) {
        return try skeleton.layout(of: candidate.model)
      } catch let error where error.code == .damaged {
        // The file has another model. Why is said where no other fits.
        faults.append("'\(candidate.name)': \(error.detail ?? "its tables are others")")
        return nil
      }
    }
    var best: (score: Int, candidates: [CandidateModel]) = (0, [])
    func add(_ candidate: CandidateModel, _ score: Int) {
      guard score > 0, score >= best.score else { return }
      best = (score, score == best.score ? best.candidates + [candidate] : [candidate])
    }
    for candidate in candidates {
      guard let (schema, isCompleted) = try layout(of: candidate), !isCompleted else { continue }
      // A model whose tables are only some of the file's fits less than one that has them all.
      add(candidate, schema.tables.reduce(schema.joinTables.count) { $0 + 1 + $1.columns.count })
    }
    guard best.candidates.isEmpty else { return (best.candidates, faults) }
    faults = []
    for candidate in candidates {
      guard let (schema, _) = try layout(of: candidate) else { continue }
      add(candidate, try fittingRowCount(schema, skeleton, declarations, survey))
    }
    return (best.candidates, faults)
  }

  /// More rows need not be looked at to tell one model from another.
  private static let enoughRows = 10_000

  /// The number of rows that have a value of the right kind for each column of a model, less those that have not.
  private static func fittingRowCount(
    _ schema: StoreSchema, _ skeleton: StoreSkeleton, _ declarations: StoreDeclarations, _ survey: PageSurvey
  ) throws(MigrationError) -> Int {
    let shapes = schema.tables.compactMap { table in
      TableShape(
        table, of: schema, columns: skeleton.columns(of: table.name), table, of: schema, declarations.encoding,
        isAssumed: !skeleton.declares(table.name))
    }
    let fields = RecordFields(limit: (shapes.map(\.fieldCount).max() ?? 0) + 1)
    var (score, count) = (0, 0)
    for page in survey.tableLeaves where !survey.facts[Int(page)].contains(.isPlaced) {
      guard count < enoughRows, try !survey.isFree(Int(page)), let bytes = try survey.source.load(Int(page)),
        let header = survey.treePage(Int(page), bytes)
      else { continue }
      for place in 0..<header.cellCount {
        guard let cell = survey.reader.cell(place, of: bytes, header), cell.localSize == cell.payloadSize,
          fields.find(in: UnsafeRawBufferPointer(start: bytes + cell.record, count: cell.localSize)),
          fields.count > 2, case .null? = fields.value(0)
        else { continue }
        count += 1
        score += shapes.contains { $0.fits(fields, isWhole: true) } ? 1 : -1
      }
    }
    return score
  }

  private static func doubt(
    _ path: String, _ fitting: [CandidateModel], _ faults: [String]
  ) -> MigrationError {
    let names = fitting.map { "'\($0.name)'" }.joined(separator: ", ")
    var error = MigrationError(
      fitting.isEmpty ? .notACoreDataStore : .noModelCache, path: path,
      detail: fitting.isEmpty
        ? "its metadata and its copy of the model are lost, and its rows are those of no known model"
          + (faults.isEmpty ? "" : " (\(faults.joined(separator: "; ")))")
        : "its metadata are lost too, and its rows may be those of \(names)")
    error.advice =
      "Nothing was written. Name its model with \(.model)\(fitting.isEmpty ? "" : ", with one version of it")."
    return error
  }
}
