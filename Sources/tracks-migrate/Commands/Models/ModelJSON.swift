import CommandLineKit
import DataModel
import Migration
import PersistentStore

/// A model as JSON.
enum ModelJSON {
  static func text(of model: NamedModel, _ versions: ModelVersionList) -> String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("model", .path(model.name))
      $0.add("version", FieldValue(model.versionName))
      $0.add("versions", .strings(versions.names))
      $0.add("current_version", FieldValue(versions.current))
      $0.add("version_identifiers", .strings(model.model.versionIdentifiers))
      $0.add("version_checksum", .string(model.model.versionChecksum.base64))
      $0.add(
        "configurations",
        objects: model.model.configurations.sorted { $0.key < $1.key }.map { name, members in
          JSONObject {
            $0.add("name", .string(name))
            $0.add("entities", .strings(members))
          }
        })
      $0.add(
        "fetch_requests",
        objects: model.model.fetchRequestTemplates.map { request in
          JSONObject {
            $0.add("name", .string(request.name))
            $0.add("entity", .string(request.entityName))
            $0.add("predicate", FieldValue(request.predicate))
          }
        })
      $0.add("entities", objects: model.model.entities.map(object))
    }.text
  }

  private static func object(_ entity: EntityDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(entity.name))
      $0.add("version_hash", .string(entity.versionHash.description))
      $0.add("parent", FieldValue(entity.superentityName))
      $0.add("is_abstract", .boolean(entity.isAbstract))
      $0.add("class", FieldValue(entity.managedObjectClassName))
      $0.add("renaming_identifier", .string(entity.renamingIdentifier))
      $0.add("version_hash_modifier", FieldValue(entity.versionHashModifier))
      $0.add("user_info", object: object(entity.userInfo))
      $0.add(
        "uniqueness_constraints",
        objects: entity.uniquenessConstraints.map { names in JSONObject { $0.add("properties", .strings(names)) } })
      $0.add("fetch_indexes", objects: entity.fetchIndexes.map(object))
      $0.add("attributes", objects: entity.ownAttributes.map(object))
      $0.add("relationships", objects: entity.ownRelationships.map(object))
      $0.add("fetched_properties", objects: entity.ownFetchedProperties.map(object))
    }
  }

  private static func object(_ attribute: AttributeDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(attribute.name))
      $0.add("type", .string(attribute.type.xmlName))
      addFlags(attribute, to: &$0)
      $0.add("is_derived", .boolean(attribute.isDerived))
      $0.add("allows_external_binary_data_storage", .boolean(attribute.allowsExternalBinaryDataStorage))
      $0.add("preserves_value_in_history_on_deletion", .boolean(attribute.preservesValueInHistoryOnDeletion))
      $0.add("default", FieldValue(attribute.defaultValue?.text))
      $0.add("minimum", FieldValue(attribute.validation.minimum?.text))
      $0.add("maximum", FieldValue(attribute.validation.maximum?.text))
      $0.add("regular_expression", FieldValue(attribute.validation.regularExpression))
      $0.add("transformer", FieldValue(attribute.valueTransformerName))
      $0.add("class", FieldValue(attribute.editorAttributes["customClassName"]))
      $0.add("derivation", FieldValue(attribute.derivationExpression))
      $0.add("derivation_predicate", FieldValue(attribute.derivationFilterPredicate))
      add(attribute, to: &$0)
    }
  }

  private static func object(_ relationship: RelationshipDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(relationship.name))
      $0.add("destination", .string(relationship.destinationEntityName))
      $0.add("inverse", FieldValue(relationship.inverseName))
      addFlags(relationship, to: &$0)
      $0.add("is_to_many", .boolean(relationship.isToMany))
      $0.add("is_ordered", .boolean(relationship.isOrdered))
      $0.add("min_count", FieldValue(relationship.minCount))
      $0.add("max_count", FieldValue(relationship.maxCount))
      $0.add("delete_rule", .string(relationship.deleteRule.word))
      add(relationship, to: &$0)
    }
  }

  private static func object(_ property: FetchedPropertyDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(property.name))
      $0.add("entity", .string(property.fetchRequest.entityName))
      $0.add("predicate", FieldValue(property.fetchRequest.predicate))
      addFlags(property, to: &$0)
      add(property, to: &$0)
    }
  }

  private static func object(_ index: FetchIndexDescription) -> JSONObject {
    JSONObject {
      $0.add("name", .string(index.name))
      $0.add("predicate", FieldValue(index.partialIndexPredicate))
      $0.add(
        "elements",
        objects: index.elements.map { element in
          JSONObject {
            switch element.subject {
            case .property(let name): $0.add("property", .string(name))
            case .instance: $0.add("expression", .string("self"))
            case .entity: $0.add("expression", .string("entity"))
            case .expression(let text): $0.add("expression", .string(text))
            }
            $0.add("order", .string(element.isAscending ? "ascending" : "descending"))
            $0.add("type", .string(element.collationType == .rTree ? "rtree" : "binary"))
          }
        })
    }
  }

  private static func addFlags(_ property: some PropertyDescription, to object: inout JSONObject) {
    object.add("is_optional", .boolean(property.isOptional))
    object.add("is_transient", .boolean(property.isTransient))
  }

  private static func add(_ property: some PropertyDescription, to object: inout JSONObject) {
    object.add("renaming_identifier", .string(property.renamingIdentifier))
    object.add("version_hash_modifier", FieldValue(property.versionHashModifier))
    object.add("user_info", object: self.object(property.userInfo))
  }

  private static func object(_ userInfo: [String: String]) -> JSONObject {
    JSONObject { object in
      for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) { object.add(key, .string(value)) }
    }
  }
}
