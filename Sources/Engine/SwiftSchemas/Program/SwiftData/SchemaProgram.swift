/// Reads the schemas of the program that it is linked into, and writes them as a bundle of models.
public enum SchemaProgram {
  /// Writes the bundle at the path that is the first argument, or runs a stage.
  ///
  /// The other arguments name the classes of the current version.
  public static func main() {
    if CommandLine.arguments.dropFirst().first == "stage" {
      ProgramKind.current = .stage
      StageProgram.run(Types.all.compactMap { $0 as? any SchemaMigrationPlan.Type })
    }
    ProgramKind.current = .schema
    guard CommandLine.arguments.count >= 2 else { exit(64) }
    // The app's code may wait for something that does not come.
    alarm(60)
    do {
      try Schemas(Types.all, current: Array(CommandLine.arguments.dropFirst(2))).write(to: CommandLine.arguments[1])
    } catch let error as TypeList.Mistake {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(64)
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(70)
    }
  }
}

/// The versions and plans of an app.
private struct Schemas {
  private struct Version {
    let type: (any VersionedSchema.Type)?
    let name: String
    let identifier: Schema.Version
    let models: [any PersistentModel.Type]
  }

  private let versions: [Version]
  /// The version of the classes that the command line names.
  private let chosen: Version?
  private let plans: [any SchemaMigrationPlan.Type]
  private let models: [any PersistentModel.Type]

  /// The name of a version that no `VersionedSchema` names.
  private static let unversionedName = "Models"

  /// - Parameters:
  ///   - types: The app's types.
  ///   - list: The classes of the current version; none for the version that the source says.
  init(_ types: [Any.Type], current list: [String]) throws {
    models = types.compactMap { $0 as? any PersistentModel.Type }
    plans = types.compactMap { $0 as? any SchemaMigrationPlan.Type }
    var schemas = types.compactMap { $0 as? any VersionedSchema.Type }
    for schema in plans.flatMap({ $0.schemas }) where !schemas.contains(where: { $0 == schema }) {
      schemas.append(schema)
    }
    let names = schemas.map { String(describing: $0) }
    let versions = try schemas.map { schema in
      let name = String(describing: schema)
      return Version(
        type: schema,
        name: names.filter { $0 == name }.count > 1 ? ModelBuilder.qualifiedName(schema) : name,
        identifier: schema.versionIdentifier, models: try Self.checked(schema.models))
    }
    func version(of models: [any PersistentModel.Type]) throws -> Version {
      Version(
        type: nil, name: Self.unversionedName, identifier: Schema.Version(1, 0, 0), models: try Self.checked(models))
    }
    chosen = list.isEmpty ? nil : try version(of: TypeList(models).models(list))
    let all = versions.isEmpty && !models.isEmpty && chosen == nil ? try version(of: models) : nil
    self.versions =
      versions.sorted { ($0.identifier, $0.name) < ($1.identifier, $1.name) } + [all, chosen].compactMap(\.self)
    guard chosen != nil, versions.contains(where: { $0.name == Self.unversionedName }) else { return }
    throw NameConflict(
      description: "the version of the listed classes is called '\(Self.unversionedName)', and so is a "
        + "VersionedSchema: rename that.")
  }

  /// Two classes that an entity's name stands for; only one would be in the model.
  private struct NameConflict: Error, CustomStringConvertible {
    let description: String
  }

  private static func checked(_ models: [any PersistentModel.Type]) throws -> [any PersistentModel.Type] {
    for (index, model) in models.enumerated() {
      let name = Schema.entityName(for: model)
      guard let other = models[..<index].first(where: { $0 != model && Schema.entityName(for: $0) == name })
      else { continue }
      let classes = [other, model].map { "'\(ModelBuilder.qualifiedName($0))'" }.sorted().joined(separator: " and ")
      throw NameConflict(
        description: "\(classes) are both the entity '\(name)' of one version. "
          + "List each in a VersionedSchema of its own, or rename one of them.")
    }
    return models
  }

  /// The version that the app opens its stores with: the last one of its plan, or the one with the greatest number.
  private var current: Version? {
    if let chosen { return chosen }
    let last = plans.compactMap { $0.schemas.last }
    return versions.last { version in last.contains { $0 == version.type } } ?? versions.last
  }

  /// The classes that no version names.
  private var unlisted: [String] {
    let versions = versions.filter { $0.type != nil }
    guard !versions.isEmpty else { return [] }
    let listed = Set(versions.flatMap { version in ModelBuilder(version.models).entities.map(\.className) })
    return models.map { ModelBuilder.qualifiedName($0) }.filter { !listed.contains($0) }.sorted()
  }

  func write(to path: String) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    for version in versions {
      let folder = "\(path)/\(version.name).xcdatamodel"
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let model = ModelText(ModelBuilder(version.models), identifier: "\(version.identifier)")
      try Data(model.text.utf8).write(to: URL(fileURLWithPath: "\(folder)/contents"))
    }
    if let current {
      let list = ["_XCCurrentVersionName": "\(current.name).xcdatamodel"]
      let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      try data.write(to: URL(fileURLWithPath: "\(path)/.xccurrentversion"))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(description).write(to: URL(fileURLWithPath: "\(path)/SwiftData.json"))
  }

  /// The part of an app's schemas that models do not hold.
  private struct Description: Encodable {
    struct Stage: Encodable {
      let kind, from, to: String
      let moments: [String]
    }
    struct Plan: Encodable {
      let name: String
      let schemas: [String]
      let stages: [Stage]
    }

    let plans: [Plan]
    let versions: [String: String]
    let unlisted: [String]
  }

  private var description: Description {
    Description(
      plans: plans.map { plan in
        Description.Plan(
          name: ModelBuilder.qualifiedName(plan), schemas: plan.schemas.map(name),
          stages: plan.stages.map { stage in
            .init(
              kind: stage.isCustom ? "custom" : "lightweight", from: name(stage.versions.from),
              to: name(stage.versions.to), moments: stage.moments)
          })
      },
      versions: Dictionary(versions.map { ($0.name, "\($0.identifier)") }, uniquingKeysWith: { first, _ in first }),
      unlisted: unlisted)
  }

  private func name(_ schema: any VersionedSchema.Type) -> String {
    versions.first { $0.type.map { $0 == schema } ?? false }?.name ?? String(describing: schema)
  }
}

/// The types of the program, as the runtime lists them.
private enum Types {
  static var all: [Any.Type] {
    var types: [Any.Type] = []
    withUnsafeMutablePointer(to: &types) { enumerateSections(addTypes, UnsafeMutableRawPointer($0)) }
    return types
  }

  /// - Parameters:
  ///   - start: The section, which has an address of 32 bits for each type.
  ///   - length: The size of the section in bytes.
  static func types(_ start: UnsafeRawPointer, _ length: Int) -> [Any.Type] {
    stride(from: 0, to: length, by: 4).compactMap { offset in
      let record = start + offset
      let relative = Int(record.load(as: Int32.self))
      // The lowest two bits say how the address is kept: 0 for a direct one.
      guard relative & 3 == 0 else { return nil }
      let descriptor = record + relative
      let flags = descriptor.load(as: UInt32.self)
      // Classes, structs and enumerations that are not generic: they are known without arguments.
      guard (16...18).contains(flags & 0x1F), flags & 0x80 == 0 else { return nil }
      guard isOfApp(descriptor) else { return nil }
      let access = descriptor + 12
      let address = access + Int(access.load(as: Int32.self))
      // Its second result, which says whether the type is complete, is of no interest: C reads the first alone.
      typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
      return unsafeBitCast(unsafeBitCast(address, to: Accessor.self)(0), to: Any.Type.self)
    }
  }

  /// Whether a type is declared in the app's module: the libraries have thousands.
  private static func isOfApp(_ descriptor: UnsafeRawPointer) -> Bool {
    var context = descriptor
    while true {
      let parent = context + 4
      let relative = Int(parent.load(as: Int32.self))
      guard relative != 0 else { break }
      let target = parent + (relative & ~1)
      context = relative & 1 == 0 ? target : target.load(as: UnsafeRawPointer.self)
    }
    guard context.load(as: UInt32.self) & 0x1F == 0 else { return false }
    let name = context + 8
    return String(cString: (name + Int(name.load(as: Int32.self))).assumingMemoryBound(to: CChar.self)) == "AppModels"
  }

  /// A range of a section.
  fileprivate struct Range {
    let start: UnsafeRawPointer?
    let length: Int
  }
}

/// Adds the types of one image to the list that the context points to.
private func addTypes(_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer) -> Bool {
  // A version, the address of the image, two words that are not used; protocols, conformances, types.
  let range = sections.load(fromByteOffset: 4 * 8 + 2 * 16, as: Types.Range.self)
  if let start = range.start {
    context.assumingMemoryBound(to: [Any.Type].self).pointee += Types.types(start, range.length)
  }
  return true
}

/// Calls a function with the sections of each image; Swift's runtime keeps them, and swift-testing finds tests by them.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool, _ context: UnsafeMutableRawPointer)
