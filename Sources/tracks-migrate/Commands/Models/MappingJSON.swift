import CommandLineKit
import DataModel
import Migration

/// A mapping model and how it fits its models, as JSON.
enum MappingJSON {
  static func text(of explanation: MappingExplanation) -> String {
    let file = explanation.file
    return JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("mapping_model", .path(file.path))
      $0.add("is_compiled", .boolean(file.isCompiled))
      $0.add("source_model_path", FieldValue(file.sourceModelPath))
      $0.add("destination_model_path", FieldValue(file.destinationModelPath))
      $0.add("verdict", .string(explanation.fits ? "fits" : "differs"))
      $0.add("source", .path(explanation.source.name))
      $0.add("destination", .path(explanation.destination.name))
      $0.add(
        "version_pairs",
        objects: explanation.pairs.map { pair in
          JSONObject {
            $0.add("source", .string(pair.source))
            $0.add("destination", .string(pair.destination))
          }
        })
      $0.add("versions", objects: explanation.versions.map(object))
      $0.add("entity_mappings", objects: explanation.mappingModel.entityMappings.map(object))
      $0.add("findings", objects: explanation.remarks.map(object))
      $0.add("differences", objects: MappingDifferences.objects(explanation))
    }.text
  }

  private static func object(_ version: MappingVersionFit) -> JSONObject {
    JSONObject {
      $0.add("name", .string(version.versionName))
      $0.add("is_readable", .boolean(version.model != nil))
      if let fit = version.asSource { $0.add("as_source", object: object(fit)) }
      if let fit = version.asDestination { $0.add("as_destination", object: object(fit)) }
    }
  }

  private static func object(_ fit: MappingSideFit) -> JSONObject {
    JSONObject {
      $0.add("fits", .boolean(fit.fits))
      $0.add("is_named", fit.isNamed.map { .boolean($0) } ?? .null)
      $0.add(
        "entities",
        objects: fit.entities.map { entity in
          JSONObject {
            $0.add("name", .string(entity.name))
            $0.add("fits", .boolean(entity.fits))
            $0.add("mapping_model_version_hash", FieldValue(entity.fileHash?.description))
            $0.add("version_hash", FieldValue(entity.modelHash?.description))
          }
        })
    }
  }

  private static func object(_ mapping: EntityMapping) -> JSONObject {
    JSONObject {
      $0.add("name", .string(mapping.name))
      $0.add("type", .string(mapping.mappingType.word))
      $0.add("source", FieldValue(mapping.sourceEntityName))
      $0.add("destination", FieldValue(mapping.destinationEntityName))
      $0.add("policy", FieldValue(mapping.entityMigrationPolicyClassName))
      $0.add("filter", FieldValue(mapping.filterPredicate.map { "\($0)" }))
      $0.add(
        "user_info",
        object: JSONObject { info in
          for (key, value) in mapping.userInfo.sorted(by: { $0.key < $1.key }) { info.add(key, .string(value)) }
        })
      $0.add("attributes", objects: mapping.attributeMappings.map(object))
      $0.add("relationships", objects: mapping.relationshipMappings.map(object))
    }
  }

  private static func object(_ property: PropertyMapping) -> JSONObject {
    JSONObject {
      $0.add("name", .string(property.name))
      $0.add("expression", FieldValue(property.valueExpression.map { "\($0)" }))
    }
  }

  private static func object(_ remark: MappingRemark) -> JSONObject {
    let record = LintRecord(remark)
    return JSONObject {
      $0.add("severity", .string(record.severity.rawValue))
      $0.add("id", .string(record.id))
      $0.add("entity_mapping", FieldValue(record.entityMapping))
      $0.add("property", FieldValue(record.property))
      $0.add("finding", .string(record.problem))
      $0.add("advice", .string(record.advice))
    }
  }
}
