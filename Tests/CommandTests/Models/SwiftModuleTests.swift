import Foundation
import TestSupport
import Testing

@Suite("Swift source of several modules", .enabled(if: SwiftSource.hasToolchain))
struct SwiftModuleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `Modules of the app are one, whether names have them as prefixes or not`() throws {
    let app = try folder.source(
      "MyApp",
      [
        "Packages/Kit/Sources/Shared/Money.swift": """
        public struct Money: Codable { public var amount: Int; public init() { amount = 0 } }
        public enum Status: String, Codable { case open, paid }
        """,
        "Packages/Kit/Sources/Kit/Invoice.swift": """
        public import SwiftData
        @preconcurrency import Shared
        @_exported import struct Shared.Money
        @Model public final class Invoice {
          public var status: Shared.Status = Shared.Status.open
          public var total: Shared.Money?
          package var note: String?
          public init() {}
        }
        """,
        "App/Schema.swift": """
        import SwiftData
        import Kit
        enum AppSchema: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] { [Kit.Invoice.self, MyApp.Trip.self] }
        }
        @Model final class Trip { var name = ""; var invoice: Kit.Invoice?; var kind: MyApp.Kind?; init() {} }
        enum Kind: Int, Codable { case work }
        """,
      ])
    let shown = try SwiftSource.run(["models", "show", app, "--format", "csv"], in: folder)
    #expect(shown.status == 0, "\(shown)")
    for line in [
      "Invoice,status.status,element,String,optional,", "Invoice,total.amount,element,Integer 64,optional,",
      "Invoice,note,attribute,String,optional,", "Trip,kind.kind,element,Integer 64,optional,",
    ] {
      #expect(shown.stdout.contains("\n\(line)"), "\(line): \(shown)")
    }
  }

  @Test func `Names of Objective-C are left out`() throws {
    let app = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        @Model final class Trip {
          @Attribute(.transformable(by: TintTransformer.self)) var tint: Data?
          init() {}
        }
        @objc(TintTransformer) final class TintTransformer: ValueTransformer {
          @objc func other() {}
          override class func transformedValueClass() -> AnyClass { NSData.self }
        }
        """
      ])
    let shown = try SwiftSource.run(["models", "show", app, "--format", "csv"], in: folder)
    #expect(shown.status == 0 && shown.stdout.contains("TintTransformer"), "\(shown)")
  }
}
