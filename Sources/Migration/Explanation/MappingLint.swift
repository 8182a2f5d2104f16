public import DataModel
internal import Diagnostics

/// Looks for what will lead to trouble in mapping models: in each of them, and in all of them together.
public struct MappingLint {
  /// What was found, file by file.
  public private(set) var remarks: [MappingRemark] = []
  /// The pairs of versions that the mapping models lead between.
  public private(set) var pairs: Set<ModelVersionPair> = []

  private let versions: (MappingModelFile) -> [MappingVersionFit]
  private let policies: PolicyRegistry
  private let listsLeftovers: Bool
  /// Which file makes instances of a destination entity out of those of a source entity, between two versions.
  private var makers: [Work: (path: String, name: String)] = [:]

  private struct Work: Hashable {
    let versions: [String?]
    let source: String
    let destination: String
  }

  /// Begins to look.
  ///
  /// - Parameters:
  ///   - bundle: The versions that the mapping models lead between; without it only the files themselves are looked at.
  ///   - policies: The policies that a migration would have.
  ///   - listsLeftovers: Whether every object that Xcode's editor left behind is told, or only their number.
  public init(bundle: ModelBundle?, policies: PolicyRegistry, listsLeftovers: Bool = false) {
    // The versions are read once, however many mapping models there are.
    let models = bundle.map(Self.models) ?? []
    versions = { file in
      models.map { name, model, error in
        if let model { MappingVersionFit(name, model, file) } else { MappingVersionFit(name, unreadable: error) }
      }
    }
    self.policies = policies
    self.listsLeftovers = listsLeftovers
  }

  private static func models(
    _ bundle: ModelBundle
  ) -> [(name: String, model: NamedModel?, error: MigrationError?)] {
    bundle.versions.map { version in
      do throws(MigrationError) {
        return (version.name, try ModelSource.load(version, of: bundle), nil)
      } catch {
        return (version.name, nil, error)
      }
    }
  }

  /// Looks at one more mapping model.
  public mutating func check(path: String) {
    do throws(MappingModelFileError) {
      check(try MappingModelFile(path: path))
    } catch {
      remarks.append(MappingRemark(.error, .unreadable(error), path: path))
    }
  }

  private mutating func check(_ file: MappingModelFile) {
    var found: [MappingRemark]
    var leadsBetween: [[String?]] = []
    if let explanation = MappingExplanation(of: file, among: versions(file), listsLeftovers: listsLeftovers) {
      found = explanation.remarks
      pairs.formUnion(explanation.pairs)
      leadsBetween = explanation.pairs.map { [$0.source, $0.destination] }
    } else {
      found = MappingRemark.all(about: file, listsLeftovers: listsLeftovers)
      if file.sourceModelPath != nil, file.destinationModelPath != nil {
        leadsBetween = [
          [
            file.sourceModelBundleName, file.sourceModelVersionName, file.destinationModelBundleName,
            file.destinationModelVersionName,
          ]
        ]
      }
    }
    for mapping in file.entityMappings {
      guard let policy = mapping.entityMigrationPolicyClassName, policies.makePolicy(named: policy) == nil else {
        continue
      }
      found.append(MappingRemark(.suggestion, .unregisteredPolicy(policy), in: file, mapping: mapping.name))
    }
    var overlaps: [MappingRemark] = []
    for versions in leadsBetween { overlaps += self.overlaps(of: file, between: versions) }
    // Between several pairs of versions it is told once.
    var seen: Set<MappingRemark> = []
    found += overlaps.filter { seen.insert($0).inserted }
    remarks += found.worstFirst()
  }

  /// Instances that another file makes already.
  private mutating func overlaps(of file: MappingModelFile, between versions: [String?]) -> [MappingRemark] {
    let known = makers
    return file.entityMappings.compactMap { mapping in
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { return nil }
      let work = Work(versions: versions, source: source, destination: destination)
      makers[work] = makers[work] ?? (file.path, mapping.name)
      // Two mappings within one file may share the work by their filters.
      guard let other = known[work] else { return nil }
      let hasSameName = other.name == mapping.name
      return MappingRemark(
        hasSameName ? .error : .warning,
        .coveredTwice(
          source: source, destination: destination, otherPath: other.path, hasSameName: hasSameName), in: file,
        mapping: mapping.name)
    }
  }
}
