internal import CoreDataExpressions
package import DataModel
internal import Foundation

/// Writes mapping models as Xcode's mapping model editor does: the `xcmapping.xml` of an `.xcmappingmodel`.
///
/// Equal mapping models give the same text. Expressions that Xcode generates are omitted, and so are the copies of the
/// two models, which Xcode adds when it opens the file. A property mapping without an expression is omitted if Xcode
/// would generate one, as if its author had deleted it; the migration is the same.
package struct MappingModelWriter: Sendable {
  /// The source model.
  package let source: ManagedObjectModel
  /// The destination model.
  package let destination: ManagedObjectModel
  /// The path of the source model, relative to an Xcode project: `App/Model.xcdatamodeld/Model.xcdatamodel`.
  package let sourceModelPath: String
  /// The path of the destination model, relative to an Xcode project.
  package let destinationModelPath: String

  /// Creates a writer of mapping models between two models.
  package init(
    source: ManagedObjectModel, destination: ManagedObjectModel, sourceModelPath: String, destinationModelPath: String
  ) {
    self.source = source
    self.destination = destination
    self.sourceModelPath = sourceModelPath
    self.destinationModelPath = destinationModelPath
  }

  /// Writes a mapping model.
  ///
  /// - Parameters:
  ///   - mappingModel: A mapping model between the writer's two models.
  ///   - file: The name of the file in errors.
  /// - Throws: `MappingModelFileError` if the mapping model does not match the models, or cannot be represented in the
  ///   file.
  package func xml(
    of mappingModel: MappingModel, file: String = "xcmapping.xml"
  ) throws(MappingModelFileError) -> String {
    do throws(MappingModelFileProblem) {
      try check(mappingModel)
      var objects = MappingObjectWriter()
      let model = objects.reserve(1)[0]
      let mappings = objects.reserve(mappingModel.entityMappings.count)
      try objects.add(
        MappingSchema.mappingModel, model,
        attributes: [
          ("sourcemodelpath", .string(sourceModelPath)), ("destinationmodelpath", .string(destinationModelPath)),
        ],
        relationships: [("entitymappings", MappingSchema.entityMapping, mappings, isToMany: true)])
      let generator = ExpressionGenerator(
        mappingModel.entityMappings.map { ($0.name, $0.sourceEntityName, $0.destinationEntityName) },
        destination: destination.entitiesByName)
      let names = Set(mappingModel.entityMappings.map(\.name))
      for (place, mapping) in mappingModel.entityMappings.enumerated() {
        let writer = EntityMappingWriter(
          mapping: mapping, number: place + 1, identifier: mappings[place], model: model,
          source: mapping.sourceEntityName.flatMap { source.entity(named: $0) },
          destination: mapping.destinationEntityName.flatMap { destination.entity(named: $0) },
          generator: generator, mappingNames: names)
        try writer.write(to: &objects)
      }
      return objects.document()
    } catch {
      throw MappingModelFileError(error, file: file)
    }
  }

  private func check(_ mappingModel: MappingModel) throws(MappingModelFileProblem) {
    let limit = Int(Int16.max)
    guard mappingModel.entityMappings.count <= limit else { throw .tooManyEntityMappings(limit: limit) }
    let entries = mappingModel.entityMappings.map { mapping in
      var entry = EntityMappingEntry(
        name: mapping.name, source: mapping.sourceEntityName, destination: mapping.destinationEntityName)
      entry.sourceEntityVersionHash = mapping.sourceEntityVersionHash
      entry.destinationEntityVersionHash = mapping.destinationEntityVersionHash
      return entry
    }
    var resolver = MappingResolver(entries, source: source, destination: destination)
    _ = resolver.entityMappings()
    let blocking = resolver.findings.filter(\.isBlocking)
    guard blocking.isEmpty else { throw .unusable(blocking) }
  }
}

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
  /// The first number in Core Data's XML stores.
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

  /// A UUID computed from the content.
  private static func identifier(of content: String) -> String {
    var bytes = Array(Digest.sha256(Array(content.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUIDValue(bytes: bytes)?.description ?? ""
  }

  private static func text(_ value: Value) throws(MappingModelFileProblem) -> String {
    switch value {
    case .string(let text): try escaped(text)
    case .int16(let number): String(number)
    case .bool(let value): value ? "1" : "0"
    case .binary(let bytes): inLines(Data(bytes).base64EncodedString())
    }
  }

  private static func escaped(_ text: String) throws(MappingModelFileProblem) -> String {
    if let character = XMLEscaping.forbiddenCharacter(in: text) { throw .unwritableText(character) }
    return XMLEscaping.content.escaped(MappingStoreText.encoded(text))
  }

  /// Lines of 76 characters, each with a newline.
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

/// The store metadata of an `xcmapping.xml`.
private struct MappingStoreInformation {
  let identifier: String
  let lastObject: Int

  /// The version hashes of the entities of Xcode's mapping model editor, which have not changed since 2012.
  private static let versionHashes = [
    ("XDDevAttributeMapping", "0plcXXRN7XHKl5CcF+fwriFmUpON3ZtcI/AfK748aWc="),
    ("XDDevEntityMapping", "qeN1Ym3TkWN1G6dU9RfX6Kd2ccEvcDVWHpd3LpLgboI="),
    ("XDDevMappingModel", "EqtMzvRnVZWkXwBHu4VeVGy8UyoOe+bi67KC79kphlQ="),
    ("XDDevPropertyMapping", "XN33V44TTGY4JETlMoOB5yyTKxB+u4slvDIinv0rtGA="),
    ("XDDevRelationshipMapping", "akYY9LhehVA/mCb4ATLWuI9XGLcjpm14wWL1oEBtIcs="),
  ]

  private static let versionHashesDigest =
    "+Hmc2uYZK6og+Pvx5GUJ7oW75UG4V/ksQanTjfTKUnxyGWJRMtB5tIRgVwGsrd7lz/QR57++wbvWsr6nxwyS0A=="

  /// The beginning of the document, up to the first object.
  var header: String {
    let hashes = Self.versionHashes.map { name, hash in
      """
                              <key>\(name)</key>
                              <data>
      \t\t\(hash)
      \t\t</data>

      """
    }
    return """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>\(identifier)</UUID>
              <nextObjectID>\(lastObject)</nextObjectID>
              <metadata>
                  <plist version="1.0">
                      <dict>
                          <key>NSPersistenceFrameworkVersion</key>
                          <integer>1044</integer>
                          <key>NSStoreModelVersionHashes</key>
                          <dict>
      \(hashes.joined())\
                          </dict>
                          <key>NSStoreModelVersionHashesDigest</key>
                          <string>\(Self.versionHashesDigest)</string>
                          <key>NSStoreModelVersionHashesVersion</key>
                          <integer>3</integer>
                          <key>NSStoreModelVersionIdentifiers</key>
                          <array>
                              <string></string>
                          </array>
                      </dict>
                  </plist>
              </metadata>
          </databaseInfo>

      """
  }
}
