internal import CTracksZlib
package import PropertyListFormat

/// The objects of an archived model, one at a time.
///
/// Objects may be shared and refer to each other in cycles. Nothing here follows references by itself, and every read
/// is counted, so an archive can neither trap its reader in a cycle nor expand without limit.
package final class ModelArchive {
  private let archive: KeyedArchive
  private let limit: Int
  private var spent = 0

  package init(_ bytes: [UInt8]) throws(ModelFileProblem) {
    do { archive = try KeyedArchive(contentsOf: bytes) } catch { throw .notAnArchive("\(error)") }
    // Apple's archives share little besides names, so there is less to read than there are bytes.
    limit = 200_000 + 2 * bytes.count
  }

  /// The root object.
  package func root(subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    try object(archive.top["root"], subject: subject)
  }

  /// The value that a reference leads to; `nil` for no object and for dangling references.
  package func value(_ reference: PropertyList?) throws(ModelFileProblem) -> PropertyList? {
    try spend(1)
    let value = archive.object(reference)
    if case .null = value { return nil }
    return value
  }

  /// The object that a reference leads to; `nil` if that is a plain value.
  package func object(_ reference: PropertyList?, subject: String) throws(ModelFileProblem) -> ArchivedObject? {
    guard case .dictionary(let fields) = try value(reference) else { return nil }
    let description = try value(fields["$class"])
    let names = (description?["$classes"]?.array ?? []).compactMap(\.string)
    let name = description?["$classname"]?.string
    return ArchivedObject(
      archive: self, subject: subject, classNames: names.isEmpty ? [name].compactMap(\.self) : names, fields: fields)
  }

  /// The text that a reference leads to, mutable or not.
  package func text(_ reference: PropertyList?) throws(ModelFileProblem) -> String? {
    let value = try value(reference)
    guard let text = value?.string ?? value?["NS.string"]?.string else { return nil }
    // Shared text is copied and hashed for each use.
    try spend(text.utf8.count / 16)
    return text
  }

  /// A name: a text, or the name field of an object.
  package func name(
    _ reference: PropertyList?, or key: String, subject: String
  ) throws(ModelFileProblem) -> String? {
    if let object = try object(reference, subject: subject), let name = try object.optional(key) { return name }
    return try text(reference)
  }

  /// Counts a read.
  package func spend(_ amount: Int) throws(ModelFileProblem) {
    spent += amount
    guard spent <= limit else { throw .archiveTooComplex(limit: limit) }
  }
}

/// A stream of raw DEFLATE, without header or checksum: the form in which Core Data keeps models in stores.
final class DeflateStream {
  /// Allocated, because zlib keeps the address of its stream.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private let end: (UnsafeMutablePointer<z_stream>) -> Int32

  private init(end: @escaping (UnsafeMutablePointer<z_stream>) -> Int32) {
    self.end = end
    stream.initialize(to: z_stream())
  }

  deinit {
    // For a stream that was never begun, this only returns an error.
    _ = end(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Packs a whole stream, at the level that Apple's systems use.
  ///
  /// - Parameter limit: The maximum number of bytes to pack: no more than can be unpacked again.
  static func deflate(_ bytes: [UInt8], limit: Int = 64 << 20) throws(ModelFileProblem) -> [UInt8] {
    guard bytes.count <= limit, let count = UInt32(exactly: bytes.count) else { throw .unpacksBeyond(limit: limit) }
    let deflater = DeflateStream(end: deflateEnd)
    let stream = deflater.stream
    let began = czlib_deflate_init_raw(stream, 5)
    // This fails only if there is no memory.
    precondition(began == Z_OK, "zlib cannot begin a stream")
    let bound = Int(deflateBound(stream, UInt(count)))
    return bytes.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = count
      return [UInt8](unsafeUninitializedCapacity: bound) { buffer, packedCount in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(clamping: bound)
        // zlib guarantees that the bound is enough.
        let status = CTracksZlib.deflate(stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib cannot end a stream")
        packedCount = bound - Int(stream.pointee.avail_out)
      }
    }
  }

  /// Unpacks a whole stream.
  ///
  /// Bytes after the end of the stream are ignored.
  ///
  /// - Parameter limit: The maximum size of the result; a few kilobytes of zeros could unpack to gigabytes.
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

  /// Unpacks until the stream ends, is invalid, runs out of input, or exceeds the limit by one byte.
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
  /// Everything that Core Data computes from a model is the same as from Xcode's files: tables, columns, indexes and
  /// version hashes. Validation rules are not read.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: The name of the file in errors.
  /// - Throws: `ModelFileError` with the file and the invalid entity or property.
  package init(archive bytes: [UInt8], file: String = "compiled model") throws(ModelFileError) {
    do { self = try ModelArchiveReader.model(bytes) } catch { throw ModelFileError(error, file: file) }
  }

  /// Reads the copy of its model that a store keeps, in the column `Z_CONTENT` of its table `Z_MODELCACHE`.
  ///
  /// Stores have one since framework version 637 (iOS 9). It makes a store readable without other files.
  ///
  /// - Parameters:
  ///   - bytes: The content of the column: a keyed archive, packed as raw DEFLATE.
  ///   - sizeLimit: The maximum unpacked size in bytes.
  ///   - file: The name of the place in errors.
  /// - Throws: `ModelFileError` with the place and the invalid entity or property.
  package init(
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
