import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TestSupport

/// Two random models, random rows and a random mapping model that is carried out both ways.
struct DifferentialCase {
  enum Outcome: Equatable {
    /// Statements cannot do it, so that there is nothing to compare.
    case refused
    case same
    /// Both end with an error.
    case bothFail(MigrationError.Code)
    case different(String)
  }

  let mappingModel: MappingModel
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  let rows: [String]
  let layout: FileLayout

  /// `nil` where chance has made no model.
  init?(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let old = ModelSketch.random(&random)
    let new = old.changed(&random)
    guard let source = old.model(), let destination = new.model() else { return nil }
    (self.source, self.destination) = (source, destination)
    rows = SampleRows(source, hasFaults: random.chance(30), &random).statements
    let encoding = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"].randomElement(using: &random) ?? "UTF-8"
    layout = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: encoding)
    mappingModel = SampleMapping(old: old, new: new, source: source, destination: destination).mappingModel(&random)
  }

  func run(in folder: TemporaryFolder) throws -> Outcome {
    let store = folder.file("Old.sqlite")
    try SampleStore.write(source, rows, layout: layout, to: store)
    defer { for name in ["Old", "Bulk", "Objects"] { Files.remove(folder.file("\(name).sqlite")) } }
    var isBulk = false
    let bulk = Result { try migrate(store, folder.file("Bulk.sqlite"), perInstance: false, isBulk: &isBulk) }
    guard isBulk else { return .refused }
    var isObjectsBulk = false
    let objects = Result {
      try migrate(store, folder.file("Objects.sqlite"), perInstance: true, isBulk: &isObjectsBulk)
    }
    switch (bulk, objects) {
    case (.success(let bulk), .success(let objects)):
      return bulk == objects ? .same : .different(bulk.difference(objects))
    case (.failure(let bulk as MigrationError), .failure(let objects as MigrationError)) where bulk.code == objects.code:
      return .bothFail(bulk.code)
    default: return .different("bulk \(Self.text(bulk)), objects \(Self.text(objects))")
    }
  }

  private static func text(_ result: Result<StoredGraph, any Error>) -> String {
    if case .failure(let error) = result { "\(error)" } else { "succeeds" }
  }

  private func migrate(
    _ store: String, _ path: String, perInstance: Bool, isBulk: inout Bool
  ) throws -> StoredGraph {
    var options = MigrationManager.Options()
    options.migratesPerInstance = perInstance
    options.validation = .none
    let log = Log()
    options.log = { log.text += $0 }
    defer { isBulk = log.text.contains("with statements on whole tables") }
    try SampleStore.migrate(store, source, to: path, destination, mappingModel, options: options)
    return try StoredGraph(path, destination)
  }

  private final class Log { var text = "" }
}
