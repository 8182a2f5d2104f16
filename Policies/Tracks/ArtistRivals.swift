internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// Finds the artist that was the first to have an id (with identity `id`, a name): a rival.
///
/// There may be as many rivals as artists, so their texts are not kept: nearly every one is what the row of an artist has.
struct ArtistRivals {
  /// Places of artists, plus one; 0 is free.
  private var slots: [UInt32] = Array(repeating: 0, count: 64)
  private var count = 0
  /// The first to have a rival that is not what their row has, because they have another one too.
  private var others: [UInt64: Int] = [:]
  /// The rivals that several artists have.
  private var shared: Set<UInt64> = []

  /// The place of an artist that is none any more.
  private static let nobody = UInt32.max

  /// The keyed hash of a rival, of which the last byte is its service, as in the text.
  static func hash(_ rival: UnsafeRawBufferPointer) -> UInt64 { LookupTable.hash(rival) & ~0xFF | UInt64(rival[0]) }

  /// The place of the first artist that has had a rival.
  ///
  /// - Parameters:
  ///   - hashAt: The hash of the first rival of the artist at a place.
  ///   - isRival: Whether the row of the artist at a place has the rival.
  func owner(
    of rival: UInt64, _ hashAt: (Int) -> UInt64, _ isRival: (Int) throws(MigrationError) -> Bool
  ) throws(MigrationError) -> Int? {
    if !others.isEmpty, let place = others[rival] { return place }
    var slot = slot(rival)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if slots[slot] != Self.nobody, hashAt(place) == rival, try isRival(place) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Makes an artist the first that has had a rival.
  ///
  /// - Parameter isStored: Whether it is the artist's first rival, which its row has.
  mutating func own(_ rival: UInt64, _ place: Int, isStored: Bool, _ hashAt: (Int) -> UInt64) {
    guard isStored else {
      others[rival] = place
      return
    }
    if count * 8 >= slots.count * 5 {
      let owners = slots.filter { $0 != 0 && $0 != Self.nobody }
      slots = Array(repeating: 0, count: slots.count * 2)
      count = owners.count
      for owner in owners { slots[freeSlot(hashAt(Int(owner) - 1))] = owner }
    }
    slots[freeSlot(rival)] = UInt32(truncatingIfNeeded: place + 1)
    count += 1
  }

  /// Notes that the row of an artist no longer has its first rival.
  mutating func keep(_ rival: UInt64, of place: Int) {
    guard rival != 0 else { return }
    var slot = slot(rival)
    while slots[slot] != 0 {
      if Int(slots[slot]) - 1 == place {
        slots[slot] = Self.nobody
        others[rival] = place
        return
      }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  /// Notes that several artists have a rival; returns false if that is known.
  mutating func share(_ rival: UInt64) -> Bool { shared.insert(rival).inserted }

  private func slot(_ rival: UInt64) -> Int { Int(truncatingIfNeeded: rival >> 8) & (slots.count - 1) }

  private func freeSlot(_ rival: UInt64) -> Int {
    var slot = slot(rival)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }
}

/// Reads what the rows of artists have: the first rivals.
final class RivalReader {
  private let row: Statement
  private let path: String

  init(_ manager: MigrationManager, identity: ArtistIdentity) throws(MigrationError) {
    let store = manager.destinationStore
    path = store.writer.path
    guard let table = store.schema.table(forEntityNamed: "Artist"),
      let column = store.schema.column(forProperty: identity == .name ? "id" : "name", ofEntityNamed: "Artist")
    else { throw MigrationError(.invalidMappingModel, detail: "the model has no artists") }
    row = try reporting(path: path) {
      try store.writer.connection.prepare(
        "SELECT \(column.name.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE Z_PK = ?")
    }
  }

  /// Calls a closure with what the row of an artist has, with which its first rival ends.
  func withText<Result>(
    ofArtist key: Int64, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(MigrationError) -> Result {
    do throws(SQLiteError) {
      try row.bind(key, at: 1)
      defer { row.reset() }
      let hasRow = try row.step()
      return hasRow
        ? row.withText(0) { body($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        : body(UnsafeRawBufferPointer(start: nil, count: 0))
    } catch {
      throw MigrationError(error, path: path)
    }
  }
}
