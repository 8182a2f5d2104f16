internal import Foundation
internal import JSONStream

/// The format of presets as files: JSON, described in docs/presets.md.
///
/// A key that the format does not have is an error, because it is most likely a misspelled one.
extension Preset: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case name, title, reference, kind, namespace, detect, artists, otherwise, trackTitle, playedAt, trackImage, roles,
      images, trimNames, htmlEntities, nameFormats, titleFormats, keepEmpty
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.values(Key.self)
    name = try values.decode(String.self, forKey: .name)
    title = try values.decodeIfPresent(String.self, forKey: .title) ?? name
    reference = try values.decodeIfPresent(String.self, forKey: .reference) ?? ""
    kind = try values.choice(.kind) ?? .track
    namespace = try values.decodeIfPresent(String.self, forKey: .namespace) ?? name
    conditions = try values.texts(.detect).map { text in
      try values.parsed(.detect) { () throws(JSONPathError) in try JSONCondition(text) }
    }
    artists = try values.decodeIfPresent([Source].self, forKey: .artists) ?? []
    otherwise = try values.decodeIfPresent([Source].self, forKey: .otherwise) ?? []
    trackTitle = try values.paths(.trackTitle)
    playedAt = try values.paths(.playedAt)
    trackImage = try values.paths(.trackImage)
    roles =
      try values.decodeIfPresent([String: String].self, forKey: .roles)?.mapValues { word in
        try values.role(word, .roles)
      } ?? [:]
    images = try values.decodeIfPresent(Images.self, forKey: .images) ?? Images()
    trimsNames = try values.decodeIfPresent(Bool.self, forKey: .trimNames) ?? false
    hasEntities = try values.decodeIfPresent(Bool.self, forKey: .htmlEntities) ?? false
    nameFormats = try values.texts(.nameFormats)
    titleFormats = try values.texts(.titleFormats)
    for (formats, key) in [(nameFormats, Key.nameFormats), (titleFormats, .titleFormats)]
    where !formats.allSatisfy({ $0.contains("{}") && $0 != "{}" }) {
      throw values.error(key, "must contain {}, the place of the text, and what stands around it")
    }
    keepsEmpty = try values.decodeIfPresent(Bool.self, forKey: .keepEmpty) ?? false
    if name.isEmpty { throw values.error(.name, "must not be empty") }
    if conditions.isEmpty { throw values.error(.detect, "requires at least one condition") }
    if kind == .track, artists.isEmpty { throw values.error(.artists, "requires at least one place of artists") }
    if kind != .track, !(artists + otherwise).isEmpty {
      throw values.error(.artists, "must be left out, because a document of this kind is not about one track")
    }
    if conditions.flatMap(\.tests).count > Self.testLimit {
      throw values.error(.detect, "has more than \(Self.testLimit) alternatives")
    }
    if trackTitle.count > Self.titleLimit {
      throw values.error(.trackTitle, "names more than \(Self.titleLimit) paths")
    }
    let paths = countedTests + (artists + otherwise).reduce(0) { $0 + $1.details.count }
    if countedTests > Self.countedTestsLimit || paths > Self.pathLimit {
      let limits = "\(Self.countedTestsLimit) conditions or \(Self.pathLimit) paths"
      throw values.error(.detect, "and the places name more than \(limits)")
    }
  }

  /// The greatest number of ``countedTests`` of all presets that are not built in, beside those of the built-in ones.
  package static let countedTestsLimit = 100
  private static let pathLimit = 1000
  private static let testLimit = 5000
  /// A reader keeps a bit for each, in one word.
  private static let titleLimit = 64

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encode(title, forKey: .title)
    if !reference.isEmpty { try values.encode(reference, forKey: .reference) }
    if kind != .track { try values.encode(kind.rawValue, forKey: .kind) }
    try values.encode(namespace, forKey: .namespace)
    try values.encode(conditions.map(\.description), forKey: .detect)
    if !artists.isEmpty { try values.encode(artists, forKey: .artists) }
    if !otherwise.isEmpty { try values.encode(otherwise, forKey: .otherwise) }
    for (paths, key) in [(trackTitle, Key.trackTitle), (playedAt, .playedAt), (trackImage, .trackImage)] {
      try values.encode(paths, key)
    }
    if !roles.isEmpty { try values.encode(roles.mapValues(\.rawValue), forKey: .roles) }
    if !images.isPlain { try values.encode(images, forKey: .images) }
    for (value, key) in [(trimsNames, Key.trimNames), (hasEntities, .htmlEntities), (keepsEmpty, .keepEmpty)]
    where value {
      try values.encode(value, forKey: key)
    }
    for (formats, key) in [(nameFormats, Key.nameFormats), (titleFormats, .titleFormats)] where !formats.isEmpty {
      try values.encode(formats, forKey: key)
    }
  }
}

extension Preset.Source: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case path, onlyArray, name, names, credited, id, image, role, fixedRole, joinPhrase
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.values(Key.self)
    path = try values.parsed(.path) { [text = try values.decode(String.self, forKey: .path)] () throws(JSONPathError) in
      try JSONPath(text)
    }
    if path.steps.contains(.last) {
      throw values.error(.path, "must not have [-1], which only a path to a detail may have")
    }
    name = try values.paths(.name)
    credited = try values.paths(.credited)
    id = try values.paths(.id)
    image = try values.paths(.image)
    role = try values.paths(.role)
    fixedRole = try values.decodeIfPresent(String.self, forKey: .fixedRole).map { try values.role($0, .fixedRole) }
    isOnlyArray = try values.decodeIfPresent(Bool.self, forKey: .onlyArray) ?? false
    let (joinPhrases, lists) = (try values.paths(.joinPhrase), try values.paths(.names))
    (joinPhrase, names) = (joinPhrases.first, lists.first)
    if joinPhrases.count > 1 { throw values.error(.joinPhrase, "must be one path") }
    if lists.count > 1 || names != nil && name(at: 0).isEmpty {
      throw values.error(.names, "must be one path to the first of several names, such as artists[0]")
    }
    if isOnlyArray, !path.leadsToElements { throw values.error(.onlyArray, "requires a path that ends with [*]") }
    if name.isEmpty { throw values.error(.name, "requires a path") }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(path.fromRoot, forKey: .path)
    if isOnlyArray { try values.encode(true, forKey: .onlyArray) }
    for (paths, key) in [(name, Key.name), (credited, .credited), (id, .id), (image, .image), (role, .role)] {
      try values.encode(paths, key)
    }
    try values.encodeIfPresent(names?.description, forKey: .names)
    try values.encodeIfPresent(fixedRole?.rawValue, forKey: .fixedRole)
    try values.encodeIfPresent(joinPhrase?.description, forKey: .joinPhrase)
  }
}

extension Preset.Images: Codable {
  private enum Key: String, CodingKey, CaseIterable { case ignore, format, replace }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.values(Key.self)
    ignored = try values.texts(.ignore)
    format = try values.decodeIfPresent(String.self, forKey: .format)
    // In a fixed order, so that the result does not depend on that of the file.
    replacements =
      try values.decodeIfPresent([String: String].self, forKey: .replace)?
      .map { Replacement($0.key, with: $0.value) }.sorted { $0.text < $1.text } ?? []
    if format?.contains("{}") == false { throw values.error(.format, "must contain {}, the place of the value") }
    if (ignored + replacements.map(\.text)).contains("") { throw values.error(.ignore, "must not be empty text") }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    if !ignored.isEmpty { try values.encode(ignored, forKey: .ignore) }
    try values.encodeIfPresent(format, forKey: .format)
    if !replacements.isEmpty {
      let texts = replacements.map { ($0.text, $0.with) }
      try values.encode(Dictionary(texts) { first, _ in first }, forKey: .replace)
    }
  }
}

extension Preset {
  /// A reason why a preset file cannot be used.
  package struct FileError: Error, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Reads a preset from the contents of a file.
  package init(json: [UInt8]) throws(FileError) {
    do throws(JSONStreamError) {
      try JSONStreamParser(visitor: JSONVisitor()).parse(json)
    } catch {
      throw FileError(description: "\(error)")
    }
    do {
      self = try JSONDecoder().decode(Preset.self, from: Data(json))
    } catch let error as DecodingError {
      throw FileError(description: error.sentence)
    } catch {
      throw FileError(description: "\(error)")
    }
  }

  /// The preset as the contents of a file.
  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Encoding text and lists of it cannot fail.
    return ((try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
  }
}

extension DecodingError {
  /// The problem, in words that follow its place.
  fileprivate var sentence: String {
    func place(_ path: [any CodingKey]) -> String {
      let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
      return text.isEmpty ? "the preset" : text.hasPrefix(".") ? String(text.dropFirst()) : text
    }
    switch self {
    case .keyNotFound(let key, let context): return "\(place(context.codingPath)) has no '\(key.stringValue)'"
    case .typeMismatch(_, let context): return "\(place(context.codingPath)) has a value of the wrong type"
    case .valueNotFound(_, let context): return "\(place(context.codingPath)) must not be null"
    case .dataCorrupted(let context): return "\(place(context.codingPath)) \(context.debugDescription)"
    @unknown default: return "\(self)"
    }
  }
}

extension KeyedEncodingContainer {
  /// Writes one path as text, and several as a list.
  fileprivate mutating func encode(_ paths: [JSONPath], _ key: Key) throws {
    if paths.count == 1 { try encode(paths[0].description, forKey: key) }
    if paths.count > 1 { try encode(paths.map(\.description), forKey: key) }
  }
}

/// Any key, to find those that the format does not have.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// The values by keys; other keys are refused.
  fileprivate func values<Key: CodingKey & CaseIterable>(_ type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let known = Set(Key.allCases.map(\.stringValue))
    let all = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    if let unknown = all.filter({ !known.contains($0) }).min() {
      let list = Key.allCases.map { "'\($0.stringValue)'" }.joined(separator: ", ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "has the unknown key \(JSONPath.quoted(unknown)); the keys are \(list)"))
    }
    return try container(keyedBy: type)
  }
}

extension KeyedDecodingContainer {
  fileprivate func error(_ key: Key, _ problem: String) -> DecodingError {
    DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: problem)
  }

  /// One text or a list of texts.
  fileprivate func texts(_ key: Key) throws -> [String] {
    guard contains(key) else { return [] }
    if let text = try? decode(String.self, forKey: key) { return [text] }
    return try decode([String].self, forKey: key)
  }

  /// The paths to details.
  fileprivate func paths(_ key: Key) throws -> [JSONPath] {
    try texts(key).map { text in
      let path = try parsed(key) { () throws(JSONPathError) in try JSONPath(text) }
      if path.filter != nil { throw error(key, "must not have a filter, which only a path to artists may have") }
      return path
    }
  }

  fileprivate func parsed<Value>(_ key: Key, _ parse: () throws(JSONPathError) -> Value) throws -> Value {
    do throws(JSONPathError) { return try parse() } catch { throw self.error(key, "is not a path: \(error)") }
  }

  fileprivate func choice<Value: RawRepresentable & CaseIterable>(_ key: Key) throws -> Value?
  where Value.RawValue == String {
    try decodeIfPresent(String.self, forKey: key).map { try choice($0, key) }
  }

  fileprivate func choice<Value: RawRepresentable & CaseIterable>(_ word: String, _ key: Key) throws -> Value
  where Value.RawValue == String {
    guard let value = Value(rawValue: word) else {
      let list = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw error(key, "must be one of \(list), not \(JSONPath.quoted(word))")
    }
    return value
  }

  fileprivate func role(_ word: String, _ key: Key) throws -> ArtistRole { try choice(word, key) }
}
