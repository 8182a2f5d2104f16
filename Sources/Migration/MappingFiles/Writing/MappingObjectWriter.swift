internal import DataModel
internal import PersistentStore

/// Writes the objects of an `xcmapping.xml` in the layout of Core Data's XML stores.
struct MappingObjectWriter {
  enum Value {
    case string(String)
    case int16(Int)
    case bool(Bool)
    case binary([UInt8])

    fileprivate var type: String {
      switch self {
      case .string: "string"
      case .int16: "int16"
      case .bool: "bool"
      case .binary: "binary"
      }
    }
  }

  typealias Relationship = (name: String, type: String, numbers: [Int], isToMany: Bool)

  /// The lines of each object, by its number.
  private var objects: [Int: String] = [:]
  /// Core Data's XML stores begin at this one.
  private var next = 102

  /// Numbers for objects that others refer to before they are written.
  mutating func reserve(_ count: Int) -> [Int] {
    defer { next += count }
    return Array(next..<(next + count))
  }

  mutating func add(
    _ type: String, _ number: Int, attributes: [(String, Value)], relationships: [Relationship]
  ) throws(MappingModelFileProblem) {
    var lines = #"    <object type="\#(type)" id="z\#(number)">"# + "\n"
    for (name, value) in attributes {
      lines += #"        <attribute name="\#(name)" type="\#(value.type)">\#(try Self.text(value))</attribute>"# + "\n"
    }
    for (name, type, numbers, isToMany) in relationships {
      let count = isToMany ? "0/0" : "1/1"
      let references = numbers.map { "z\($0)" }.joined(separator: " ")
      let idrefs = numbers.isEmpty ? "" : #" idrefs="\#(references)""#
      lines +=
        #"        <relationship name="\#(name)" type="\#(count)" destination="\#(type)"\#(idrefs)></relationship>"#
      lines += "\n"
    }
    objects[number] = lines + "    </object>\n"
  }

  /// The whole document, with the objects in the order of their numbers.
  func document() -> String {
    let content = objects.sorted { $0.key < $1.key }.map(\.value).joined()
    let information = MappingStoreInformation(identifier: Self.identifier(of: content), lastObject: next - 1)
    return information.header + content + "</database>"
  }

  /// A UUID that only the content decides.
  private static func identifier(of content: String) -> String {
    var bytes = Array(Digest.sha256(Array(content.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = VersionHash(bytes: bytes).description.uppercased()
    var groups: [Substring] = []
    var rest = digits[...]
    for length in [8, 4, 4, 4, 12] {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    return groups.joined(separator: "-")
  }

  private static func text(_ value: Value) throws(MappingModelFileProblem) -> String {
    switch value {
    case .string(let text): try escaped(text)
    case .int16(let number): String(number)
    case .bool(let value): value ? "1" : "0"
    case .binary(let bytes): inLines(bytes.base64)
    }
  }

  private static func escaped(_ text: String) throws(MappingModelFileProblem) -> String {
    if let character = MarkupText.forbiddenCharacter(in: text) { throw .unwritableText(character) }
    return MarkupText.content.escaped(MappingStoreText.encoded(text))
  }

  /// Lines of 76 characters, the last one ended too.
  private static func inLines(_ text: String) -> String {
    var lines = ""
    var rest = text[...]
    while !rest.isEmpty {
      lines += rest.prefix(76) + "\n"
      rest = rest.dropFirst(76)
    }
    return lines
  }
}
