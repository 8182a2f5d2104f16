/// The entities of the model that an `xcmapping.xml` is a store of.
enum MappingSchema {
  static let mappingModel = "XDDEVMAPPINGMODEL"
  static let entityMapping = "XDDEVENTITYMAPPING"
  static let attributeMapping = "XDDEVATTRIBUTEMAPPING"
  static let relationshipMapping = "XDDEVRELATIONSHIPMAPPING"

  /// The attributes and their types.
  static let attributes: [String: [String: String]] = [
    mappingModel: [
      "sourcemodelpath": "string", "sourcemodeldata": "binary", "destinationmodelpath": "string",
      "destinationmodeldata": "binary",
    ],
    entityMapping: [
      "userinfodata": "binary", "migrationpolicyclassname": "string", "sourcename": "string", "name": "string",
      "sourcefilterpredicatestring": "string", "mappingtypename": "string", "mappingnumber": "int16",
      "destinationname": "string", "autogenerateexpression": "bool",
    ],
    attributeMapping: ["valueexpressiondata": "binary", "name": "string"],
    relationshipMapping: [
      "valueexpressiondata": "binary", "autogenerateexpression": "bool", "name": "string", "sourcekeypath": "string",
      "sourcemappingname": "string",
    ],
  ]

  static let relationships: [String: Set<String>] = [
    mappingModel: ["entitymappings"],
    entityMapping: ["mappingmodel", "attributemappings", "relationshipmappings"],
    attributeMapping: ["entitymapping"],
    relationshipMapping: ["entitymapping"],
  ]

  /// The names of `NSEntityMappingType`, of which Xcode itself writes the first one only.
  static let mappingTypeNames: [String: EntityMapping.MappingType] = [
    "Undefined": .undefined, "Custom": .custom, "Add": .add, "Remove": .remove, "Copy": .copy, "Transform": .transform,
  ]
}
