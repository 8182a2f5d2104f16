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
  }

  /// A `SchemaMigrationPlan`.
  package struct Plan: Codable, Sendable, Hashable {
    package let name: String
    /// The names of its versions, in its order.
    package let schemas: [String]
    package let stages: [Stage]
  }

  /// The plans.
  package let plans: [Plan]
  /// The version identifiers, by the names of the versions.
  package let versions: [String: String]
  /// The classes that no version names.
  package let unlisted: [String]

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
