import CommandLineKit
import DataModel
import Migration

/// Something that was found in models or mapping models, as a row of a table.
struct LintRecord {
  let severity: ModelFinding.Severity
  var version: String?
  var entity: String?
  var property: String?
  let id: String
  let problem: String
  let advice: String
  var mappingModel: String?
  var entityMapping: String?

  init(_ finding: ModelFinding) {
    let wording = FindingWording(finding)
    self.init(finding.severity, id: finding.name, wording.problem, wording.advice)
    (version, entity, property) = (finding.versionName, finding.entityName, finding.propertyName)
  }

  init(_ remark: MappingRemark) {
    let wording = RemarkWording(remark)
    self.init(remark.severity, id: remark.name, wording.problem, wording.advice)
    (mappingModel, entityMapping, property) = (remark.path, remark.entityMappingName, remark.propertyName)
  }

  init(_ severity: ModelFinding.Severity, id: String, _ problem: String, _ advice: String) {
    self.severity = severity
    self.id = id
    self.problem = problem
    self.advice = advice
  }

  /// Writes rows.
  ///
  /// For people, what is about a mapping model stands in the columns of versions and entities.
  static func write(_ records: [LintRecord], _ format: OutputFormat, to output: any TextOutput) throws {
    let writer = format.makeWriter(to: output, terminal: .standardOutput)
    let place = records.contains { $0.mappingModel != nil } ? "where" : "version"
    let columns = [
      "severity", format.isForMachines ? "version" : place, "entity", "property", "id", "finding", "advice",
    ]
    try writer.begin(columns: columns + (format.isForMachines ? ["mapping_model", "entity_mapping"] : []))
    for record in records { try writer.write(record.values(for: format)) }
    try writer.end()
  }

  private func values(for format: OutputFormat) -> [FieldValue] {
    let words: [FieldValue] = [FieldValue(property), .string(id), .string(problem), .string(advice)]
    guard format.isForMachines else {
      return [
        .string(severity.rawValue), mappingModel.map(FieldValue.path) ?? FieldValue(version),
        FieldValue(entityMapping ?? entity),
      ]
        + words
    }
    return [.string(severity.rawValue), FieldValue(version), FieldValue(entity)] + words
      + [.path(mappingModel), FieldValue(entityMapping)]
  }
}
