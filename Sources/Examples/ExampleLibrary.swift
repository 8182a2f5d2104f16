internal import DataModel
public import Diagnostics
public import Migration
internal import PersistentStore
internal import TrackLibrary

/// A made-up library of one of the examples, to try a migration on.
///
/// The same kind, number, seed and options always give the same bytes.
///
/// ```swift
/// var library = ExampleLibrary(.books, count: 100)
/// library.includesOddities = true
/// try library.write(to: "Books.sqlite")
/// ```
public struct ExampleLibrary {
  /// What a library holds.
  public enum Kind: String, Sendable, CaseIterable {
    /// Books and users, in version 1.
    case books
    /// Notes, in version 1.
    case notes
    /// Notes with pictures, in version 2.
    case notesV2 = "notes-v2"
  }

  /// What the library holds.
  public let kind: Kind
  /// The number of books or notes, oddities included.
  public let count: Int
  /// What all that looks random follows from.
  public var seed: UInt64
  /// Whether the library begins with books or notes that are odd in one way each; their titles say in which.
  ///
  /// A library of fewer books or notes than there are oddities holds the first of them.
  public var includesOddities = false
  /// A request to stop, after which nothing is left.
  public var cancellation = MigrationCancellation()
  /// Is called now and then with the number of books or notes that are written.
  public var onProgress: ((_ completedCount: Int) -> Void)?

  /// Prepares a library.
  ///
  /// - Parameters:
  ///   - kind: What it holds.
  ///   - count: The number of books or notes; less than none counts as none, and more than 2^32 - 1 as that.
  ///   - seed: Any number; another gives another library.
  public init(_ kind: Kind, count: Int, seed: UInt64 = 42) {
    self.kind = kind
    self.count = min(max(0, count), Int(UInt32.max))
    self.seed = seed
  }

  /// Writes the library to a file that must not exist yet.
  ///
  /// The file appears when it is complete and on the disk.
  ///
  /// - Throws: `MigrationError`, with `outputExists` where there is something of this name, or a log or journal that
  ///   would be taken for the new file's. Then nothing is left behind.
  public func write(to path: String) throws(MigrationError) {
    let file = try SampleTarget(path: path)
    do throws(MigrationError) {
      try build(file.stagedPath)
      try file.settleHeader()
      try file.publish()
    } catch {
      throw file.discard(after: error)
    }
  }

  private func build(_ path: String) throws(MigrationError) {
    let model = kind.model
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    try insert(into: writer)
    var random = SplitMix64(seed: seed, purpose: .store)
    try writer.finish(metadata: .new(for: model, uuid: random.nextUUID()))
  }

  /// A function of its own, so that its statements are released before the store is closed.
  private func insert(into writer: StoreWriter) throws(MigrationError) {
    switch kind {
    case .books: try BookWriter(self, writer).insert()
    case .notes: try NoteWriter(self, writer, hasImages: false).insert()
    case .notesV2: try NoteWriter(self, writer, hasImages: true).insert()
    }
  }

  /// Tells how many rows are written, and stops if that is wanted.
  func report(_ completed: Int) throws(MigrationError) {
    guard completed.isMultiple(of: 4096) || completed == count else { return }
    if cancellation.isCancelled { throw MigrationError(.interrupted) }
    onProgress?(completed)
  }
}

extension ExampleLibrary.Kind {
  /// The model of the version that samples have.
  fileprivate var model: ManagedObjectModel {
    switch self {
    case .books: BooksModel.v1
    case .notes: NotesModel.v1
    case .notesV2: NotesModel.v2
    }
  }
}
