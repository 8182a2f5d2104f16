import CommandLineKit
import DataModel
import Migration

/// Whether stores can be migrated without a mapping model, in words and as JSON.
enum InferenceWording {
  /// Lines for people; none where nothing is migrated.
  static func lines(_ verdict: InferenceVerdict) -> [String] {
    guard verdict.isMigrationNeeded else { return [] }
    guard verdict.canInfer else {
      return ["They need a mapping model:"] + verdict.reasons.map { "  \($0)" }
    }
    let (losses, cautions) = (verdict.losses, verdict.cautions)
    return [
      losses.isEmpty
        ? "They can be migrated without a mapping model, and nothing is lost."
        : "They can be migrated without a mapping model, but this is lost:"
    ] + losses.map { "  \($0)" } + (cautions.isEmpty ? [] : ["Be sure of this:"]) + cautions.map { "  \($0)" }
  }

  static func object(_ verdict: InferenceVerdict) -> JSONObject {
    JSONObject {
      $0.add("is_migration_needed", .boolean(verdict.isMigrationNeeded))
      $0.add("needs_mapping_model", .boolean(verdict.isMigrationNeeded && !verdict.canInfer))
      $0.add("losses", objects: verdict.losses.map(object))
      $0.add("cautions", objects: verdict.cautions.map(object))
      $0.add(
        "reasons",
        objects: verdict.reasons.map { reason in
          JSONObject {
            $0.add("entity", .string(reason.entity))
            $0.add("property", FieldValue(reason.property))
            $0.add("finding", .string(reason.kind.problem))
            $0.add("advice", .string(reason.kind.advice))
            $0.add("likely_old_name", FieldValue(reason.likelyOldName))
          }
        })
    }
  }

  private static func object(_ finding: InferenceFinding) -> JSONObject {
    JSONObject {
      $0.add("entity", .string(finding.entity))
      $0.add("property", FieldValue(finding.property))
      $0.add("finding", .string("\(finding.kind)"))
    }
  }
}
