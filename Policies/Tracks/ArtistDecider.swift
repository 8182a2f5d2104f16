package import JSONPresets
internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import TerminalOutput

/// Carries out a person's decisions on the artists that tracks mention, before the artists are looked up.
///
/// What a decision makes of a mention may be decided about again; reading the decisions ensured that this ends.
package struct ArtistDecider {
  private let decisions: [ArtistDecisions.Decision]
  private let lines: ArtistDecisions.LinesByName

  package init(_ decisions: ArtistDecisions) {
    self.decisions = decisions.all
    lines = ArtistDecisions.LinesByName(decisions.all)
  }

  /// The number of the line that decides about an artist.
  func place(ofName name: some Sequence<UInt8>, id: (some Sequence<UInt8>)?) -> Int? {
    guard let lines = lines[name] else { return nil }
    // A line about one id comes before that about all.
    return id.flatMap { lines.place(ofID: $0) } ?? lines.general
  }

  /// Carries out the decisions on the mentions of one track, which are the last of a batch.
  func decide(_ batch: inout TrackBatch, from start: Int, _ identity: ArtistIdentity, namespace: UInt8 = 0) {
    guard batch.mentions[start...].contains(where: { place(of: $0, in: batch) != nil }) else { return }
    for mention in batch.takeMentions(from: start) { decide(mention, &batch, identity, namespace) }
  }

  private func place(of mention: TrackBatch.Mention, in batch: TrackBatch) -> Int? {
    place(ofName: batch.text(mention.name), id: mention.id.count > 0 ? batch.text(mention.id) : nil)
  }

  private func decide(
    _ mention: TrackBatch.Mention, _ batch: inout TrackBatch, _ identity: ArtistIdentity, _ namespace: UInt8
  ) {
    guard let place = place(of: mention, in: batch) else { return batch.add(mention, identity, namespace: namespace) }
    let decision = decisions[place]
    batch.count(decision: place)
    if decision.kind == .keep { return batch.add(mention, identity, namespace: namespace) }
    for target in decision.targets {
      var decided = mention
      (decided.name, decided.rival) = (batch.append(target.name), .none)
      if decision.kind != .rename {
        // An id or image of the artist that was mentioned is not one of the artist that is meant.
        (decided.id, decided.imageURL, decided.imageHash) = (.none, .none, 0)
        decided.primaryKey = .none
        if let id = target.id, !mention.isFallback { decided.id = batch.append(id) }
      }
      decide(decided, &batch, identity, namespace)
    }
  }

  /// Returns the final names and ids that the decisions give an artist, and whether it is still the same artist.
  ///
  /// - Returns: `nil` if nothing was decided about it.
  package func artists(
    insteadOf name: String, id: String?, _ used: inout Set<Int>
  ) -> [(artist: ArtistDecisions.Target, isSame: Bool)]? {
    guard let place = place(ofName: name.utf8, id: id?.utf8) else { return nil }
    used.insert(place)
    let (kind, artist) = (decisions[place].kind, ArtistDecisions.Target(name: name, id: id))
    if kind == .keep { return [(artist, true)] }
    return decisions[place].targets.flatMap { target in
      let next = kind == .rename ? ArtistDecisions.Target(name: target.name, id: id) : target
      let found = artists(insteadOf: next.name, id: next.id, &used) ?? [(next, true)]
      return found.map { ($0.artist, $0.isSame && kind == .rename) }
    }
  }
}

extension ArtistDecisions {
  /// Makes sure that every line that changes an artist is about one that was found: one that keeps it may be left over.
  ///
  /// - Parameters:
  ///   - used: The numbers of the lines that were.
  ///   - path: The file that has the artists.
  ///   - names: The names of its artists, of which the nearest are suggested.
  package func requireAll(
    in used: Set<Int>, path: String?, among names: () throws -> [String]
  ) throws {
    let unused = all.indices.filter { !used.contains($0) && all[$0].kind != .keep }
    guard !unused.isEmpty else { return }
    // Lines before may have taken an artist, or made one that nothing mentions.
    let decided = used.map { all[$0] }
    let made = Set(decided.flatMap(\.targets).map(\.name))
    let names = Set(try names()).subtracting(made).union(decided.map(\.artist)).sorted()
    let shown = unused.prefix(5).map { all[$0].place + suggestion(for: all[$0], in: names) }.joined(separator: ", ")
    let rest = unused.count > 5 ? " and \(unused.count - 5) more" : ""
    throw MigrationError(.unusedDecision, MigrationError.Subject(path: path), detail: shown + rest)
  }

  private func suggestion(for decision: Decision, in names: [String]) -> String {
    // A name that is there has another id than the line says, or stands only where another line has put it.
    if names.contains(decision.artist) { return decision.id == nil ? "" : ": its id is another" }
    return nearest(to: decision.artist, in: names).map { ": the nearest name is '\($0)'" } ?? ""
  }

  /// Makes sure that every line was about an artist that a migration has found.
  func requireAll(in registry: ArtistRegistry, path: String?, _ manager: MigrationManager) throws {
    try requireAll(in: registry.decisions, path: path) { try Self.artistNames(manager) }
  }

  private static func artistNames(_ manager: MigrationManager) throws -> [String] {
    let store = manager.destinationStore
    guard let table = store.schema.table(forEntityNamed: "Artist"),
      let column = store.schema.column(forProperty: "name", ofEntityNamed: "Artist")
    else { return [] }
    return try reporting(path: store.writer.path) {
      let row = try store.writer.connection.prepare(
        "SELECT \(column.name.quotedIdentifier) FROM \(table.name.quotedIdentifier)")
      var names: [String] = []
      while try row.step() { if let name = row.text(0) { names.append(name) } }
      return names
    }
  }
}
