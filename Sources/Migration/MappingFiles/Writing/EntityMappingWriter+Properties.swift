internal import DataModel
internal import Expressions

extension EntityMappingWriter {
  func attributeRows() throws(MappingModelFileProblem) -> [Row] {
    let sources = SourceProperties(source?.attributes ?? [])
    let properties = destination?.attributesByName ?? [:]
    var rows: [Row] = []
    for property in mapping.attributeMappings {
      let name: (String, MappingObjectWriter.Value) = ("name", .string(property.name))
      let generated: Expression? = sources.property(named: property.name).map { .source($0.name) }
      if property.valueExpression == generated, !isRenamed(properties[property.name], sources) {
        rows.append((property.name, [name]))
      } else if let expression = property.valueExpression {
        rows.append((property.name, [try data(expression, property.name), name]))
      }
    }
    return rows
  }

  /// Whether only a renaming identifier leads to a source property, which Xcode may or may not follow.
  private func isRenamed<Property: PropertyDescription>(
    _ property: Property?, _ sources: SourceProperties<Property>
  ) -> Bool {
    guard let property, let found = sources.property(for: property) else { return false }
    return found.name != property.name
  }

  func relationshipRows() throws(MappingModelFileProblem) -> [Row] {
    let sources = SourceProperties(source?.relationships ?? [])
    let properties = destination?.relationshipsByName ?? [:]
    var rows: [Row] = []
    for property in mapping.relationshipMappings {
      let common: Row = (
        property.name, [("autogenerateexpression", .bool(true)), ("name", .string(property.name))]
      )
      var generated: Expression?
      if let relationship = properties[property.name], sources.property(named: property.name) != nil {
        generated = generator.expression(
          for: relationship, source: property.name, sources: .source(property.name))
      }
      if property.valueExpression == generated, !isRenamed(properties[property.name], sources) {
        rows.append(common)
      } else if let expression = property.valueExpression {
        if let (path, name) = mapped(expression) {
          rows.append(
            (
              property.name,
              common.attributes + [("sourcekeypath", .string(path)), ("sourcemappingname", .string(name))]
            ))
        } else {
          rows.append((property.name, [try data(expression, property.name)] + common.attributes))
        }
      }
    }
    return rows
  }

  /// The two fields of Xcode's inspector, for an expression that says no more than they can.
  private func mapped(_ expression: Expression) -> (path: String, name: String)? {
    // Without a source entity, Xcode makes nothing of the two fields.
    guard source != nil,
      case .function(.variable("manager")?, MigrationFunctions.destinationInstances, let arguments) = expression,
      arguments.count == 2, case .constant(.string(let name)) = arguments[0], mappingNames.contains(name)
    else { return nil }
    switch arguments[1] {
    case .variable("source"), .keyPath(.variable("source"), _): break
    default: return nil
    }
    let path = "\(arguments[1])"
    // Whether Xcode wants marks before words of the format language here is not known.
    guard !path.contains("#"), (try? Expression(format: path)) == arguments[1] else { return nil }
    return (path, name)
  }

  private func data(
    _ expression: Expression, _ property: String
  ) throws(MappingModelFileProblem) -> (String, MappingObjectWriter.Value) {
    do {
      return ("valueexpressiondata", .binary(try expression.archive()))
    } catch {
      throw .unwritableExpression(
        mapping: mapping.name, property: property, reason: "'\(error.expression)' has no known archived form")
    }
  }
}
