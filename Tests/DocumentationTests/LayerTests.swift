import Foundation
import TestSupport
import Testing

/// The three rooms of `Sources`: the engine knows no tracks, and the tracks know no command.
@Suite("The layers of the package")
struct LayerTests {
  /// A target of `Package.swift` with what its files import of the package.
  private struct Layer {
    let name: String
    let room: Room
    let declared: Set<String>
    let imported: Set<String>
  }

  private enum Room: Int, Comparable {
    case engine, tracks, tool
    static func < (left: Room, right: Room) -> Bool { left.rawValue < right.rawValue }
  }

  private let layers: [String: Layer]

  init() throws {
    let root = Checkout.root.path(percentEncoded: false)
    let text = try Files.text(root + "/Package.swift")
    // The declarations of the targets, which begin with their function, their name and what they depend on.
    let pattern =
      /\b(?:engine|tracks|tool|library|\.executableTarget|\.target|\.macro)\(\s*(?:name: )?"([\w-]+)"(?:,\s*(?:dependencies: )?\[([^\]]*)\])?/
    var declared: [String: Set<String>] = [:]
    for match in text.matches(of: pattern) {
      declared[String(match.output.1)] = Set(
        (match.output.2 ?? "").matches(of: /"([\w-]+)"/).map { String($0.output.1) })
    }
    var layers: [String: Layer] = [:]
    let rooms: [(String, Room)] = [
      ("Sources/Engine", .engine), ("Sources/Tracks", .tracks), ("Sources/Tool", .tool),
    ]
    var folders = try rooms.flatMap { folder, room in
      try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted()
        .filter { $0 != "C" && $0 != "CTracksYajl" }.map { ($0, "\(root)/\(folder)/\($0)", room) }
    }
    folders.append(("Policies", "\(root)/Policies", .tracks))
    for (name, folder, room) in folders {
      let dependencies = try #require(declared[name], "Package.swift does not declare \(name)")
      var imported: Set<String> = []
      for file in try FileManager.default.subpathsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
        let imports = try Files.text("\(folder)/\(file)").matches(
          of: /^ *(?:@\w+(?:\(\w+\))? )*(?:\w+ )?import (?:(?:struct|class|enum|func) )?(\w+)/.anchorsMatchLineEndings()
        )
        imported.formUnion(imports.map { String($0.output.1) })
      }
      layers[name] = Layer(
        name: name, room: room, declared: dependencies,
        imported: imported.filter { declared[$0] != nil || $0.hasPrefix("CTracks") })
    }
    self.layers = layers
  }

  @Test func `No module imports one of a room above its own`() {
    #expect(layers.count > 20)
    for layer in layers.values {
      for name in layer.imported {
        guard let other = layers[name] else { continue }
        #expect(other.room <= layer.room, "\(layer.name) imports \(name)")
      }
    }
  }

  @Test func `What a target depends on is what its files import`() {
    for layer in layers.values {
      let (declared, imported) = (layer.declared, layer.imported)
      // The compiler loads macros, and no file imports them.
      let expected = declared.subtracting(["SwiftDataMacros"])
      #expect(expected.subtracting(imported).sorted() == [], "\(layer.name) imports none of these")
      #expect(imported.subtracting(declared).sorted() == [], "\(layer.name) does not declare these")
    }
  }

  @Test func `Nothing that an app's team depends on needs yajl`() throws {
    for name in ["CoreData", "Migration", "MigrationTesting", "ModelInspection", "SwiftData", "momc", "mapc"] {
      var reached: Set<String> = []
      var next = [name]
      while let name = next.popLast() {
        guard reached.insert(name).inserted else { continue }
        next += layers[name]?.declared ?? []
      }
      #expect(reached.contains("DataModel"))
      #expect(!reached.contains("CTracksYajl"), "\(name) reaches yajl")
    }
  }
}
