internal import DataModel
internal import MappingModels
internal import Migration
package import MigrationDiagnostics

extension ModelSource {
  /// The model as `@Model` classes of SwiftData; a bundle with several versions as versioned schemas with their plan.
  ///
  /// - Throws: `MigrationError` if the model, or one of the versions, cannot be read.
  package func swiftDataSource() throws(MigrationError) -> ClassSource {
    if kind == .model, versionName == nil, let bundle = try? bundle(), bundle.versions.count > 1 {
      var models: [NamedModel] = []
      for version in bundle.versions { models.append(try Self.load(version, of: bundle)) }
      let current = try? bundle.currentVersion().name
      return SwiftDataSource(models, of: bundle.path, current: current).source
    }
    let model = try load()
    return SwiftDataSource([model], of: model.name).source
  }
}

/// Writes models as Swift source for SwiftData, such that the entities keep their version hashes.
struct SwiftDataSource {
  private let models: [NamedModel]
  private let name: String
  private let names: SwiftNames
  /// The version that the bundle marks as current.
  private let current: String?

  init(_ models: [NamedModel], of name: String, current: String? = nil) {
    (self.models, self.name, self.current) = (models, name, current)
    names = SwiftNames(models.map(\.model))
  }

  var source: ClassSource {
    var source = ClassSource(of: name, imports: ["Foundation", "SwiftData"])
    if models.count == 1 {
      write(models[0].model, isNested: false, to: &source)
    } else {
      writeVersions(to: &source)
    }
    return source
  }

  // MARK: - Versions

  private func writeVersions(to source: inout ClassSource) {
    let schemaNames = SchemaNames(models, names.taken)
    var schemas = schemaNames.all
    let inherits = models.map { $0.model.entities.contains { $0.superentityName != nil } }
    for (place, model) in models.enumerated() {
      source.versionName = model.versionName
      source.line()
      source.comment("The version '\(model.versionName ?? model.name)'.")
      // A store of this version has the hashes of the later one, so it needs no stage.
      let twin = models.indices.last { $0 > place && models[$0].model.entities.hasSameHashes(as: model.model.entities) }
      if let twin {
        source.remark(
          "plan",
          "SwiftData refuses two schemas with one checksum, and '\(schemas[twin].name)' has the same; "
            + "the plan leaves this one out")
        schemas[place].isInPlan = false
      }
      if inherits[place] { source.line(Self.availability) }
      source.block("enum \(schemas[place].name): \(names.library("VersionedSchema"))") { source in
        let list = model.model.entitiesParentsFirst.map { "\(SwiftNames.identifier($0.name)).self" }
        let schema = names.library("Schema")
        source.line("static let versionIdentifier = \(schema).Version(\(schemas[place].identifier))")
        source.line()
        source.block("static var models: [any \(names.library("PersistentModel")).Type]") {
          $0.list("[", list, "]")
        }
        write(model.model, isNested: true, to: &source)
      }
    }
    source.versionName = nil
    source.line()
    if inherits.contains(true) { source.line(Self.availability) }
    source.block("enum \(schemaNames.plan): \(names.library("SchemaMigrationPlan"))") { source in
      writePlan(zip(models, schemas).filter(\.1.isInPlan).map { ($0.model, $1.name) }, to: &source)
    }
    guard let last = models.last, let schema = schemas.last else { return }
    source.line()
    if let current, current != last.versionName {
      source.remark(
        "plan", "the bundle marks '\(current)' as current, and a plan ends with the last version, '\(schema.name)'")
    }
    source.comment("The rest of the app uses the latest version.")
    for entity in last.model.entities {
      let name = SwiftNames.identifier(entity.name)
      if inherits.last == true { source.line(Self.availability) }
      source.line("typealias \(name) = \(schema.name).\(name)")
    }
  }

  private func writePlan(_ versions: [(model: ManagedObjectModel, name: String)], to source: inout ClassSource) {
    source.block("static var schemas: [any \(names.library("VersionedSchema")).Type]") {
      $0.list("[", versions.map { "\($0.name).self" }, "]")
    }
    source.line()
    source.block("static var stages: [\(names.library("MigrationStage"))]") { source in
      source.line("[")
      source.indented { source in
        for (old, new) in zip(versions, versions.dropFirst()) { writeStage(old, new, to: &source) }
      }
      source.line("]")
    }
  }

  private func writeStage(
    _ old: (model: ManagedObjectModel, name: String), _ new: (model: ManagedObjectModel, name: String),
    to source: inout ClassSource
  ) {
    let verdict = InferenceVerdict(from: old.model, to: new.model)
    let versions = "fromVersion: \(old.name).self, toVersion: \(new.name).self"
    for loss in verdict.losses where verdict.canInfer { source.comment("Loses values: \(loss)") }
    guard !verdict.canInfer else { return source.line(".lightweight(\(versions)),") }
    for reason in verdict.reasons {
      let place = [reason.entity, reason.property].compactMap(\.self).joined(separator: ".")
      source.remark(
        "plan, \(old.name) to \(new.name)",
        "the stage needs a version between the two, since it cannot be lightweight: '\(place)': \(reason.kind.problem)")
    }
    source.line(".custom(\(versions), willMigrate: nil, didMigrate: nil),")
  }

  /// SwiftData's subclasses are new in these systems.
  static let availability = "@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)"

  // MARK: - One model

  private func write(_ model: ManagedObjectModel, isNested: Bool, to source: inout ClassSource) {
    if !model.configurations.isEmpty || !model.fetchRequestTemplates.isEmpty { source.line() }
    for (name, members) in model.configurations.sorted(by: { $0.key.precedesByBytes($1.key) }) {
      source.remark(
        "configuration '\(name)'",
        "SwiftData has configurations only where a container is made (\(members.joined(separator: ", ")))")
    }
    for request in model.fetchRequestTemplates {
      source.remark(
        "fetch request '\(request.name)'",
        "SwiftData has no fetch requests in models ('\(request.entityName)'"
          + "\(request.predicate.map { " where \($0)" } ?? ""))")
    }
    let composites = SwiftDataComposites(model, names)
    for entity in model.entitiesParentsFirst {
      source.line()
      SwiftDataClass(model, entity, names, composites).write(isNested: isNested, to: &source)
    }
    composites.write(to: &source)
  }
}

extension [EntityDescription] {
  fileprivate func hasSameHashes(as others: [EntityDescription]) -> Bool {
    map(\.name) == others.map(\.name) && map(\.versionHash) == others.map(\.versionHash)
  }
}

/// The names and numbers of versioned schemas: `Notes 2` becomes `NotesV2`, as `NotesV2` stays.
private struct SchemaNames {
  /// One versioned schema.
  struct Schema {
    let name: String
    /// The arguments of its `Schema.Version`.
    let identifier: String
    var isInPlan = true
  }

  let all: [Schema]
  /// The name of the plan.
  let plan: String

  init(_ models: [NamedModel], _ taken: Set<String>) {
    var parts = models.map { Self.parts($0.versionName ?? "") }
    let isClear =
      Set(parts.map { "\($0.base)V\($0.number)" }).count == parts.count
      && zip(parts, parts.dropFirst()).allSatisfy { $0.number < $1.number }
    if !isClear { parts = parts.enumerated().map { (parts[0].base, $0.offset + 1) } }
    let identifiers = models.map { Self.identifier($0.model.versionIdentifiers) }
    let hasIdentifiers = Set(identifiers.compactMap(\.self)).count == models.count
    var unique = UniqueNames(taken.union(SwiftNames.standard))
    all = zip(parts, identifiers).map { part, identifier in
      Schema(
        name: unique.unique("\(part.base)V\(part.number)"),
        identifier: hasIdentifiers ? identifier ?? "" : "\(part.number), 0, 0")
    }
    plan = unique.unique("\(parts.last?.base ?? "")MigrationPlan")
  }

  private static func parts(_ name: String) -> (base: String, number: Int) {
    let digits = String(name.reversed().prefix { ("0"..."9").contains($0) }.reversed())
    let rest = name.dropLast(digits.count)
    let base = String(rest.reversed().drop { " _-.vV".contains($0) }.reversed())
    return (SwiftNames.typeName(digits.isEmpty ? name : base, or: "Schema"), Int(digits) ?? 1)
  }

  /// The numbers of an identifier such as `1.2.0`, which SwiftData writes.
  private static func identifier(_ identifiers: [String]) -> String? {
    let numbers = identifiers.first?.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) } ?? []
    guard numbers.count == 3, numbers.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else { return nil }
    return numbers.compactMap { $0.map(String.init) }.joined(separator: ", ")
  }
}
