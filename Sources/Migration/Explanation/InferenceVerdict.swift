public import DataModel

/// Whether stores can be migrated from one model to another without a mapping model, and what comes of that.
public struct InferenceVerdict: Sendable, Hashable {
  /// Whether the version hashes differ; otherwise stores are not migrated at all.
  public let isMigrationNeeded: Bool
  /// All reasons why a mapping model has to be written by hand; none where one can be inferred.
  public let reasons: [InferenceError.Reason]
  /// What an inferred migration drops, and where it may fail or the models may not say what their author meant.
  ///
  /// Where none can be inferred, it is what was found besides.
  public let findings: [InferenceFinding]

  /// Whether a mapping model can be inferred.
  public var canInfer: Bool { reasons.isEmpty }
  /// What is lost.
  public var losses: [InferenceFinding] { findings.filter(\.isLoss) }
  /// What is not lost, but should be known.
  public var cautions: [InferenceFinding] { findings.filter { !$0.isLoss } }

  /// Compares two models.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    isMigrationNeeded = source.entityVersionHashesByName != destination.entityVersionHashesByName
    var inference = MappingInference(from: source, to: destination)
    do throws(InferenceError) {
      _ = try inference.mappingModel()
      reasons = []
    } catch {
      reasons = error.reasons
    }
    findings = inference.sortedFindings
  }
}
