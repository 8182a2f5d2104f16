import DataModel
import PropertyListFormat
import Testing

@Suite struct ModelCacheTests {
  private func problem(_ bytes: [UInt8], sizeLimit: Int = 64 << 20) -> ModelFileProblem? {
    do throws(ModelFileError) {
      _ = try ManagedObjectModel(modelCache: bytes, sizeLimit: sizeLimit)
    } catch {
      #expect(error.file == "Z_MODELCACHE")
      return error.problem
    }
    return nil
  }

  /// Raw DEFLATE in its simplest form: blocks that are stored as they are.
  private func packed(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: max(bytes.count, 1), by: 60_000) {
      let block = bytes[start..<min(start + 60_000, bytes.count)]
      let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
      result += [start + 60_000 >= bytes.count ? 1 : 0, low, high, ~low, ~high] + block
    }
    return result
  }

  @Test func `A packed model is read`() throws {
    let model = try RichModel.model()
    let archive = TestModelArchiver.archive(
      model, .proxies, expressions: RichModel.expressions, predicates: RichModel.predicates)
    let bytes = packed(archive.binary())
    #expect(try ManagedObjectModel(modelCache: bytes) == model)
    // What follows the end of the stream does not matter.
    #expect(try ManagedObjectModel(modelCache: bytes + [1, 2, 3]) == model)
  }

  @Test func `A truncated stream throws an error`() throws {
    let bytes = packed(SmallArchive().propertyList.binary())
    for length in 0..<bytes.count { #expect(problem(Array(bytes.prefix(length))) == .unpackable) }
  }

  @Test func `Garbage throws an error`() {
    for bytes in [[], [0xFF], [7, 7, 7], Array("SQLite format 3".utf8), Array(repeating: 0x78, count: 100)] as [[UInt8]]
    {
      #expect(problem(bytes) == .unpackable)
    }
    #expect(
      problem(packed(Array("hello".utf8)))
        == .notAnArchive("This is neither a binary nor an XML property list."))
    #expect(
      problem(packed(PropertyList.array([]).binary())) == .notAnArchive("The property list is not a keyed archive."))
  }

  @Test func `A model that unpacks beyond the size limit is refused`() {
    let bytes = SmallArchive().propertyList.binary()
    #expect(problem(packed(bytes), sizeLimit: bytes.count) == nil)
    #expect(problem(packed(bytes), sizeLimit: bytes.count - 1) == .unpacksBeyond(limit: bytes.count - 1))
    #expect(problem(packed(bytes), sizeLimit: 0) == .unpacksBeyond(limit: 0))
    #expect(problem(packed(bytes), sizeLimit: .min) == .unpacksBeyond(limit: 0))
    #expect(problem(packed(bytes), sizeLimit: .max) == nil)
    let bomb = Self.bomb(copies: 270_000)
    #expect(bomb.count < 450_000)
    #expect(problem(bomb) == .unpacksBeyond(limit: 64 << 20))
  }

  /// A zero byte, and 258 bytes more for each copy.
  ///
  /// It is one block of fixed codes: the literal 0 is `00110000`, a copy of 258 bytes `11000101`, its distance of 1
  /// `00000`, and the end `0000000`.
  private static func bomb(copies: Int) -> [UInt8] {
    let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
    for _ in 0..<copies { bits += copy }
    bits += Array(repeating: 0, count: 16)
    return stride(from: 0, to: bits.count - 7, by: 8).map { start in
      (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << UInt8($1) }
    }
  }
}
