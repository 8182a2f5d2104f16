internal import DataModel
internal import Expressions

extension CompiledMappingReader {
  mutating func properties(
    _ key: String, of owner: ArchivedObject, mapping: String
  ) throws(ModelFileProblem) -> [PropertyMappingEntry] {
    var entries: [String: PropertyMappingEntry] = [:]
    for object in try objects(key, of: owner, kind: "NSPropertyMapping", subject: mapping) {
      guard let name = try object.optional("NSDestinationPropertyName") else {
        throw object.unexpected("NSDestinationPropertyName", "a text")
      }
      try refuseOthers(object, known: Self.propertyKeys, subject: "\(mapping), \(name)")
      let entry = PropertyMappingEntry(name: name, value: try value(object, mapping: mapping, property: name))
      if entries.updateValue(entry, forKey: name) != nil {
        findings.append(MappingModelFinding(.duplicateProperty, mapping: mapping, property: name))
      }
    }
    return entries.values.sorted { $0.name.precedesByBytes($1.name) }
  }

  private mutating func value(
    _ object: ArchivedObject, mapping: String, property: String
  ) throws(ModelFileProblem) -> PropertyMappingEntry.Value {
    guard let archived = try object.object("NSValueExpression", subject: "\(mapping), \(property)") else {
      return .none
    }
    do throws(ModelFileProblem) {
      return .expression(try ExpressionArchiveReader().expression(archived))
    } catch {
      if case .archiveTooComplex = error { throw error }
      let reason = MappingModelFileProblem.archiveText(error)
      findings.append(MappingModelFinding(.unreadableExpression(reason), mapping: mapping, property: property))
      return .unreadable
    }
  }

  /// Takes the filter out of the expression that fetches the source instances, which says nothing else:
  /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", entity, predicate), …)`.
  mutating func filterPredicate(
    _ object: ArchivedObject, _ entry: EntityMappingEntry
  ) throws(ModelFileProblem) -> Predicate? {
    let key = "NSSourceExpression"
    guard let archived = try object.object(key, subject: entry.name) else {
      // Without it nothing would be fetched.
      guard entry.sourceEntityName == nil || entry.mappingType == .remove else {
        throw .badArchivedValue(subject: entry.name, key: key, expected: "an expression")
      }
      return nil
    }
    let expression = try ExpressionArchiveReader().expression(archived)
    guard case .fetch(let request, .keyPath(.variable("manager"), [.key("sourceContext")]), false) = expression,
      case .function(.variable("manager")?, "fetchRequestForSourceEntityNamed:predicateString:", let arguments) =
        request,
      arguments.count == 2, case .constant(.string(let entity)) = arguments[0],
      case .constant(.string(let format)) = arguments[1], entity == entry.sourceEntityName
    else { return try fail(.unrepresentable(subject: entry.name, key: key, reason: "'\(expression)'")) }
    do {
      let predicate = try Predicate(format: format)
      return predicate == .everything ? nil : predicate
    } catch {
      let reason = "'\(format)': \(error.sentence)"
      findings.append(MappingModelFinding(.unreadableFilterPredicate(reason), mapping: entry.name))
      return nil
    }
  }
}
