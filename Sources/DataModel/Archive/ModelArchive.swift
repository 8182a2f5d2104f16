internal import CTracksZlib
internal import Foundation
package import PropertyListFormat

/// The objects of an archived model, handed out one at a time.
///
/// Objects refer to each other in cycles and may be shared. Nothing here follows references by itself, and whatever is
/// read is counted: an archive can neither trap its reader in a circle nor make a little data look like a lot.
package final class ModelArchive {
  private let archive: KeyedArchive
  private let limit: Int
  private var spent = 0

  package init(_ bytes: [UInt8]) throws(ModelFileProblem) {
    do { archive = try KeyedArchive(contentsOf: bytes) } catch { throw .notAnArchive("\(error)") }
    // Apple's archives share hardly anything but names, so there is less to read than there are bytes.
    limit = 200_000 + 2 * bytes.count
  }

  /// The object that all others hang on.
  package func root(subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    try object(archive.top["root"], subject: subject)
  }

  /// What a reference leads to; nothing for `nil`, and for references that lead nowhere.
  package func value(_ reference: PropertyList?) throws(ModelFileProblem) -> PropertyList? {
    try spend(1)
    let value = archive.object(reference)
    if case .null = value { return nil }
    return value
  }

  /// The object that a reference leads to, unless that is a plain value.
  package func object(_ reference: PropertyList?, subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    guard case .dictionary(let fields) = try value(reference) else { return nil }
    let description = try value(fields["$class"])
    let names = (description?["$classes"]?.array ?? []).compactMap(\.string)
    let name = description?["$classname"]?.string
    return ArchivedObject(
      archive: self, subject: subject, classNames: names.isEmpty ? [name].compactMap(\.self) : names, fields: fields)
  }

  /// The text that a reference leads to: a plain one, or one that could be changed.
  package func text(_ reference: PropertyList?) throws(ModelFileProblem) -> String? {
    let value = try value(reference)
    guard let text = value?.string ?? value?["NS.string"]?.string else { return nil }
    // Texts are shared, and will be copied and hashed.
    try spend(text.utf8.count / 16)
    return text
  }

  /// A name: a text, or a field of the object that it names.
  package func name(
    _ reference: PropertyList?, or key: String, subject: String
  ) throws(ModelFileProblem) -> String? {
    if let object = try object(reference, subject: subject), let name = try object.optional(key) { return name }
    return try text(reference)
  }

  /// Counts what is read.
  package func spend(_ amount: Int) throws(ModelFileProblem) {
    spent += amount
    guard spent <= limit else { throw .archiveTooComplex(limit: limit) }
  }
}

/// What the `VersionInfo.plist` of a compiled bundle says about its versions, so that none of them need be read.
package struct ModelVersionInfo: Sendable, Hashable {
  /// The name of the current version, without `.mom`.
  package let currentVersionName: String?
  /// The version hashes of the entities of each version.
  package let versionHashes: [String: [String: VersionHash]]
  /// The checksum of each version, see ``ManagedObjectModel/versionChecksum``; only newer versions of Xcode write them.
  package let versionChecksums: [String: [UInt8]]

  /// Reads a `VersionInfo.plist`.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` where the file is damaged.
  package init(contentsOf bytes: [UInt8], file: String = "VersionInfo.plist") throws(ModelFileError) {
    guard let info = try? PropertyList(contentsOf: bytes), info.dictionary != nil,
      let hashes = Self.hashes(info["NSManagedObjectModel_VersionHashes"]),
      let checksums = Self.checksums(info["NSManagedObjectModel_VersionChecksums"])
    else { throw ModelFileError(.versionInfoUnreadable, file: file) }
    currentVersionName = info["NSManagedObjectModel_CurrentVersionName"]?.string
    versionHashes = hashes
    versionChecksums = checksums
  }

  private static func hashes(_ value: PropertyList?) -> [String: [String: VersionHash]]? {
    dictionary(value) { version in dictionary(version) { $0.data.map { VersionHash(bytes: $0) } } }
  }

  private static func checksums(_ value: PropertyList?) -> [String: [UInt8]]? {
    dictionary(value) { $0.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } }
  }

  /// A dictionary whose values all are of one kind; without a value it is empty, with others there is none.
  private static func dictionary<Value>(
    _ value: PropertyList?, _ convert: (PropertyList) -> Value?
  ) -> [String: Value]? {
    guard let value else { return [:] }
    guard let pairs = value.dictionary?.pairs else { return nil }
    let converted = pairs.compactMap { pair in convert(pair.value).map { (pair.key, $0) } }
    guard converted.count == pairs.count else { return nil }
    return Dictionary(converted, uniquingKeysWith: { first, _ in first })
  }
}

/// A stream of raw DEFLATE, which has neither header nor checksum: the form in which Core Data keeps models in stores.
final class DeflateStream {
  /// zlib keeps the address of its stream, which must not move.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let end: (UnsafeMutablePointer<z_stream>) -> Int32

  private init(end: @escaping (UnsafeMutablePointer<z_stream>) -> Int32) {
    self.end = end
    stream.initialize(to: z_stream())
  }

  deinit {
    // Ends a stream that never began with an error, and nothing else.
    _ = end(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Packs a whole stream, at the level that Apple's systems use.
  ///
  /// - Parameter limit: The most bytes to take: no more than can be unpacked again.
  static func deflate(_ bytes: [UInt8], limit: Int = 64 << 20) throws(ModelFileProblem) -> [UInt8] {
    guard bytes.count <= limit, let count = UInt32(exactly: bytes.count) else { throw .unpacksBeyond(limit: limit) }
    let deflater = DeflateStream(end: deflateEnd)
    let stream = deflater.stream
    let began = czlib_deflate_init_raw(stream, 5)
    // Only a lack of memory can be in the way here.
    precondition(began == Z_OK, "zlib cannot begin a stream")
    let bound = Int(deflateBound(stream, UInt(count)))
    return bytes.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = count
      return [UInt8](unsafeUninitializedCapacity: bound) { buffer, packedCount in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(clamping: bound)
        // The bound is what zlib itself says is enough.
        let status = CTracksZlib.deflate(stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib cannot end a stream")
        packedCount = bound - Int(stream.pointee.avail_out)
      }
    }
  }

  /// Unpacks a whole stream.
  ///
  /// What follows the end of the stream is not looked at.
  ///
  /// - Parameter limit: The most bytes that may come out; a few kilobytes of zeros could unpack to gigabytes.
  static func inflate(_ bytes: [UInt8], limit: Int) throws(ModelFileProblem) -> [UInt8] {
    let limit = max(limit, 0)
    guard let count = UInt32(exactly: bytes.count) else { throw .unpacksBeyond(limit: limit) }
    let inflater = DeflateStream(end: inflateEnd)
    guard czlib_inflate_init_raw(inflater.stream) == Z_OK else { throw .unpackable }
    let (output, status) = bytes.withUnsafeBufferPointer { input in
      inflater.stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      inflater.stream.pointee.avail_in = count
      return inflater.run(limit: limit)
    }
    guard output.count <= limit else { throw .unpacksBeyond(limit: limit) }
    guard status == Z_STREAM_END else { throw .unpackable }
    return output
  }

  /// Unpacks until the stream ends, stops making sense, runs out of input, or exceeds the limit by one byte.
  private func run(limit: Int) -> (output: [UInt8], status: Int32) {
    var output: [UInt8] = []
    var status = Z_OK
    while status == Z_OK, output.count <= limit {
      let room = min((1 << 16) - 1, limit - output.count) + 1
      output += [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(room)
        status = CTracksZlib.inflate(stream, Z_NO_FLUSH)
        count = room - Int(stream.pointee.avail_out)
      }
    }
    return (output, status)
  }
}

extension ManagedObjectModel {
  /// Reads a compiled model: a `.mom`, which is a keyed archive of an `NSManagedObjectModel`.
  ///
  /// What Core Data itself computes from a model comes out as from Xcode's own files: tables, columns, indexes and
  /// version hashes. Validation rules are not read.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` with the file, and the entity or property that is wrong.
  public init(archive bytes: [UInt8], file: String = "compiled model") throws(ModelFileError) {
    do { self = try ModelArchiveReader.model(bytes) } catch { throw ModelFileError(error, file: file) }
  }

  /// Reads the model that a store keeps of itself, in the column `Z_CONTENT` of its table `Z_MODELCACHE`.
  ///
  /// Stores have one since framework version 637 (iOS 9). It makes a store readable without any other file.
  ///
  /// - Parameters:
  ///   - bytes: The content of the column: a keyed archive, packed as raw DEFLATE.
  ///   - sizeLimit: The most bytes that may come out when it is unpacked.
  ///   - file: How errors name the place.
  /// - Throws: `ModelFileError` with the place, and the entity or property that is wrong.
  public init(
    modelCache bytes: [UInt8], sizeLimit: Int = 64 << 20, file: String = "Z_MODELCACHE"
  ) throws(ModelFileError) {
    let archive: [UInt8]
    do {
      archive = try DeflateStream.inflate(bytes, limit: sizeLimit)
    } catch {
      throw ModelFileError(error, file: file)
    }
    try self.init(archive: archive, file: file)
  }
}
