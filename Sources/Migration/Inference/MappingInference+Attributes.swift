internal import DataModel
internal import Expressions

extension MappingInference {
  /// How each stored attribute of a destination gets its value.
  mutating func attributeMappings(of pair: EntityPair) -> [PropertyMapping] {
    let removed = pair.source.attributes.filter {
      !$0.isTransient && !$0.isDerived && pair.attributes.isRemoved($0.name)
    }
    let added = pair.destination.attributes.filter {
      !$0.isTransient && !$0.isDerived && pair.attributes.isNew($0.name)
    }
    let newNames = renames.newNames(of: removed, among: added) { $0.type.isCarriedOver(to: $1.type) }
    for attribute in removed {
      findings.append(
        InferenceFinding(pair.source.name, attribute.name, .attributeRemoved(likelyNewName: newNames[attribute.name])))
    }
    let oldNames = Dictionary(newNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    return pair.destination.attributes.filter { !$0.isTransient }.compactMap { attribute in
      if attribute.isDerived { return carriedDerivation(attribute, pair) }
      return PropertyMapping(
        name: attribute.name, valueExpression: expression(for: attribute, pair, likelyOldName: oldNames[attribute.name])
      )
    }
  }

  /// A derived attribute keeps its values if it is derived as before; otherwise the store computes them anew.
  private func carriedDerivation(_ attribute: AttributeDescription, _ pair: EntityPair) -> PropertyMapping? {
    guard let old = pair.source(of: attribute), old.type == attribute.type,
      old.derivationExpression == attribute.derivationExpression,
      old.derivationFilterPredicate == attribute.derivationFilterPredicate
    else { return nil }
    return PropertyMapping(name: attribute.name, valueExpression: .source(old.name))
  }

  private mutating func expression(
    for attribute: AttributeDescription, _ pair: EntityPair, likelyOldName: String?
  ) -> Expression? {
    func refuse(_ kind: InferenceError.Kind, likelyOldName: String? = nil) -> Expression? {
      reasons.append(
        InferenceError.Reason(pair.destination.name, attribute.name, kind, likelyOldName: likelyOldName))
      return nil
    }
    if attribute.type == .composite || attribute.type == .undefined { return refuse(.unsupportedType(attribute.type)) }
    guard let old = pair.source(of: attribute) else {
      let isMissing = pair.attributes.isNew(attribute.name) && !attribute.isOptional && attribute.defaultValue == nil
      if isMissing { return refuse(.attributeNeedsDefault, likelyOldName: likelyOldName) }
      if let text = attribute.unreadableDefault {
        findings.append(InferenceFinding(pair.destination.name, attribute.name, .unreadableDefault(text)))
      }
      return nil
    }
    guard old.type.isCarriedOver(to: attribute.type) else {
      return refuse(.incompatibleTypes(source: old.type, destination: attribute.type))
    }
    if old.type == .integer64, attribute.type == .double {
      findings.append(InferenceFinding(pair.destination.name, attribute.name, .precisionMayBeLost))
    }
    guard old.isOptional, !attribute.isOptional else { return .source(old.name) }
    guard attribute.defaultValue != nil else {
      findings.append(InferenceFinding(pair.destination.name, attribute.name, .valueMayBeMissing))
      return .source(old.name)
    }
    guard let defaultExpression = attribute.defaultExpression(besideValuesOf: old.type) else {
      return refuse(.defaultNotExpressible)
    }
    return .ternary(.compare(.source(old.name), .equal, .null), defaultExpression, .source(old.name))
  }
}
