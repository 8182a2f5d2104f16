internal import MigrationDiagnostics
internal import Samples
internal import StoreHealth
internal import TestSupport

/// Stores that SQLite need not be able to read: what comes of them is a store, or an error, and they are never changed.
enum SalvageTarget {
  static func read(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = try folder.write(bytes, to: "Store.sqlite")
    let before = try Files.bytes(path)
    for takesDeleted in [false, true] {
      let output = folder.file("New \(takesDeleted).sqlite")
      var salvage = StoreSalvage(path: path, outputPath: output)
      salvage.takesDeleted = takesDeleted
      salvage.candidates = (BooksModel.all + NotesModel.all + [TrackModels.v1, TrackModels.v2]).enumerated().map {
        CandidateModel(name: "Model \($0.offset)", model: $0.element)
      }
      do throws(MigrationError) {
        _ = try salvage.run()
      } catch {
        try promise(!ErrorMessage(error).problem.isEmpty, "an error without words")
      }
      guard Files.exists(output) else { continue }
      try promise(try Database.isWhole(output), "the new store is damaged")
    }
    try promise(try Files.bytes(path) == before, "the store was changed")
    try promise(try folder.listing().allSatisfy { !$0.hasPrefix(".") }, "something was left behind")
  }
}
