internal import Foundation

/// The part of an app's schemas that models do not hold: its migration plans.
package struct SchemaPlans: Codable, Sendable, Hashable {
  /// A way from one version to another.
  package struct Stage: Codable, Sendable, Hashable {
    /// The ways in which rows get to the next version.
    package enum Kind: String, Codable, Sendable, Hashable {
      case lightweight, custom
    }

    package let kind: Kind
    /// The name of the version that it begins with.
    package let from: String
    /// The name of the version that it ends with.
    package let to: String
    /// The closures that it has: `willMigrate`, `didMigrate`.
    package let moments: [String]

    package init(kind: Kind, from: String, to: String, moments: [String]) {
      (self.kind, self.from, self.to, self.moments) = (kind, from, to, moments)
    }

    /// Whether the stage is between these two versions.
    package func isHop(_ hop: (from: String, to: String)) -> Bool { (from, to) == hop }
  }

  /// A `SchemaMigrationPlan`.
  package struct Plan: Codable, Sendable, Hashable {
    package let name: String
    /// The names of its versions, in its order.
    package let schemas: [String]
    package let stages: [Stage]

    package init(name: String, schemas: [String], stages: [Stage]) {
      (self.name, self.schemas, self.stages) = (name, schemas, stages)
    }

    /// The versions that follow each other, each of which needs a stage.
    package var hops: [(from: String, to: String)] { Array(zip(schemas, schemas.dropFirst())) }
  }

  /// The plans.
  package let plans: [Plan]
  /// The version identifiers, by the names of the versions.
  package let versions: [String: String]
  /// The classes that no version names.
  package let unlisted: [String]

  /// Whether there is a `VersionedSchema`; without one, all classes together are a version.
  package var isVersioned: Bool { !plans.isEmpty || !unlisted.isEmpty || versions.keys.map(\.self) != ["Models"] }
  /// The names of the versions by their identifiers; those of one identifier as the plans list them.
  package var orderedVersions: [String] {
    let listed = plans.flatMap(\.schemas)
    return versions.sorted { left, right in
      switch left.value.compare(right.value, options: .numeric) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame:
        let places = [left, right].map { listed.firstIndex(of: $0.key) ?? .max }
        return (places[0], left.key) < (places[1], right.key)
      }
    }.map(\.key)
  }

  /// The name of the file in the bundle that the source was compiled to.
  static let fileName = "SwiftData.json"

  /// Reads the plans of the bundle that Swift source was compiled to.
  ///
  /// - Parameter bundle: The path that `SwiftSchemas.bundle(ofSourceAt:digest:)` has returned.
  package init(bundle: String) throws(SwiftSchemaError) {
    let bytes = try SwiftSources.read("\(bundle)/\(Self.fileName)")
    do {
      self = try JSONDecoder().decode(SchemaPlans.self, from: Data(bytes))
    } catch {
      throw .unreadable(path: "\(bundle)/\(Self.fileName)", reason: "it does not list plans")
    }
  }
}
