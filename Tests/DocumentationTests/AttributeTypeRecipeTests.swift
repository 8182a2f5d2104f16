import Foundation
import TestSupport
import Testing

/// The recipe of CONTRIBUTING for an attribute type: the compiler leads to the places, so no switch may have a default.
@Suite("The recipe for an attribute type")
struct AttributeTypeRecipeTests {
  /// A switch over one attribute type, as the source has it.
  private struct Switch {
    let place: String
    let hasDefault: Bool
  }

  @Test func `The compiler names each switch over the types of attributes`() throws {
    let root = Checkout.root.path(percentEncoded: false)
    var switches: [Switch] = []
    for folder in ["Sources", "Policies"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      where file.hasSuffix(".swift") {
        switches += try Self.switches(in: Files.text("\(root)/\(folder)/\(file)"), of: "\(folder)/\(file)")
      }
    }
    #expect(switches.count > 10)
    for found in switches { #expect(!found.hasDefault, "\(found.place) hides a new attribute type from the compiler") }
  }

  /// Finds switches with a case for one of the types that no other enumeration has under the same name.
  private static func switches(in text: String, of file: String) -> [Switch] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { start in
      guard lines[start].contains("switch "), lines[start].hasSuffix("{") else { return nil }
      let indentation = lines[start].prefix { $0 == " " }
      let cases = lines[(start + 1)...].prefix { $0 != indentation + "}" }
        .filter { $0.hasPrefix(indentation + "case .") || $0.hasPrefix(indentation + "default:") }
      let isOverTypes = cases.contains { $0.contains(/case (?:\.\w+, )*\.(?:float|integer16|uri|binaryData)[,:]/) }
      return isOverTypes
        ? Switch(
          place: "\(file):\(start + 1)",
          hasDefault: cases.contains { $0.hasSuffix("default:") || $0.contains("default: ") })
        : nil
    }
  }
}
