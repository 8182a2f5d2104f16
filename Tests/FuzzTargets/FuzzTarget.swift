internal import DataModel
internal import Migration

/// A reader of what others wrote, which must bear bytes of any kind.
///
/// `make fuzz` lets libFuzzer look for bytes that make it fail; the tests try a few of their own.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case json
  case propertyList = "property-list"
  case modelXML = "model-xml"
  case modelArchive = "model-archive"
  case modelCache = "model-cache"
  case mappingXML = "mapping-xml"
  case mappingArchive = "mapping-archive"
  case expression
  case feed
  case preset
  case store
  case salvage

  /// Reads the bytes, and does with what is read what the program would do.
  ///
  /// An error is a good answer. A crash and a hang are for the caller to notice.
  ///
  /// - Throws: `BrokenPromise` where the answer cannot be right.
  public func read(_ bytes: [UInt8]) throws {
    switch self {
    case .json: try JSONTarget.read(bytes)
    case .propertyList: try PropertyListTarget.read(bytes)
    case .modelXML: try ModelTarget.read { () throws(ModelFileError) in try .init(xml: bytes) }
    case .modelArchive: try ModelTarget.read { () throws(ModelFileError) in try .init(archive: bytes) }
    case .modelCache: try ModelTarget.read { () throws(ModelFileError) in try .init(modelCache: bytes) }
    case .mappingXML: try MappingTarget.read { () throws(MappingModelFileError) in try .init(xml: bytes) }
    case .mappingArchive: try MappingTarget.read { () throws(MappingModelFileError) in try .init(archive: bytes) }
    case .expression: try ExpressionTarget.read(bytes)
    case .feed: try FeedTarget.read(bytes)
    case .preset: try PresetTarget.read(bytes)
    case .store: try StoreTarget.read(bytes)
    case .salvage: try SalvageTarget.read(bytes)
    }
  }

  /// Whether bytes have fixed places, so that changes must not move them.
  public var isPaged: Bool { self == .store || self == .salvage }
}

/// What was promised of every answer, and does not hold.
public struct BrokenPromise: Error, CustomStringConvertible {
  /// What does not hold.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws where something does not hold that was promised.
func promise(_ holds: Bool, _ description: @autoclosure () -> String) throws {
  if !holds { throw BrokenPromise(description()) }
}
