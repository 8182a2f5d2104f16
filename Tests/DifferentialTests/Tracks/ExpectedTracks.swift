/// The expected migration of tracks, computed with plain lists and dictionaries.
struct ExpectedTracks {
  private struct Artist {
    let name: [UInt8]
    var id: [UInt8]?
    var imageURL: [UInt8]?
    /// Whether only `artistName` has named the artist so far.
    var isNameOnly: Bool
    /// Whether a later mention has supplied a detail that the first one lacks.
    var hasLateDetails = false
    /// The details that must agree between mentions, in order: ids if names identify artists, otherwise names.
    var rivals: [[UInt8]] = []
    /// The images of the mentions in order.
    var images: [[UInt8]] = []
  }

  private(set) var outcome = TrackOutcome()
  private let isByID: Bool
  private var artists: [Artist] = []
  /// The indices of the artists by name, or by id with 1 in front.
  private var places: [[UInt8]: Int] = [:]
  /// The indices of the artists that share an id, or a name if ids identify artists, in order.
  private var sharers: [[UInt8]: [Int]] = [:]
  private var links: Set<[Int64]> = []

  /// - Parameters:
  ///   - tracks: The tracks in primary key order.
  ///   - greatestKey: The greatest key that the library has given to a track, according to its metadata.
  ///   - isByID: Whether artists are identified by id if they have one.
  init(_ tracks: [SourceTrack], greatestKey: Int64, isByID: Bool) {
    self.isByID = isByID
    for track in tracks { add(track) }
    outcome.artists = artists.enumerated().map { place, artist in
      "\(place + 1): \(text(artist.name)), \(text(artist.id)), \(text(artist.imageURL))"
    }
    outcome.links = links.sorted { $0.lexicographicallyPrecedes($1) }.map { "\($0[0])-\($0[1])" }
    outcome.primaryKeys = [
      "1: Artist, \(artists.count)", "2: Track, \(tracks.map(\.primaryKey).reduce(greatestKey, max))",
    ]
    outcome.tracks = tracks.map(\.kept)
  }

  private func text(_ bytes: [UInt8]?) -> String { bytes.map { Cell.text($0).description } ?? "NULL" }

  private mutating func add(_ track: SourceTrack) {
    var document = ExpectedDocument(track.json)
    if document.reason != nil {
      document.mentions = []
      if let name = track.artistName, !name.isEmpty {
        document.mentions = [ExpectedDocument.Mention(name: name, isFallback: true)]
      }
    }
    for mention in document.mentions { links.insert([Int64(place(of: mention) + 1), track.primaryKey]) }
    count("duplicate_keys", document.duplicateKeyCount)
    let example = "track \(track.primaryKey) \(track.title.map { "'\($0.prefix(80))'" } ?? "")"
    if let reason = document.reason {
      count("fallback.\(reason)", 1, example)
      if document.mentions.isEmpty { count("tracks_without_artist", 1, example) }
    }
    count("nameless_artists", document.namelessCount, example)
    count("long_values", document.longValueCount, example)
    if document.isUnreadable || document.namelessCount > 0 || document.longValueCount > 0 {
      let offset = document.byteOffset.map(String.init) ?? "null"
      outcome.rejects.append(
        "\(track.primaryKey), \(track.title ?? "null"), "
          + "\(document.reason ?? (document.namelessCount > 0 ? "nameless_artists" : "long_values")), \(offset), "
          + text(track.json))
    }
  }

  private mutating func count(_ counter: String, _ amount: Int, _ example: String? = nil) {
    guard amount > 0 else { return }
    outcome.counters[counter, default: 0] += amount
    guard let example, outcome.examples[counter, default: []].count < 20 else { return }
    outcome.examples[counter, default: []].append(example)
  }

  /// Returns the index of an artist, which is added if it is new.
  private mutating func place(of mention: ExpectedDocument.Mention) -> Int {
    let id = mention.id.flatMap { $0.isEmpty ? nil : $0 }
    let key = isByID ? id.map { [1] + $0 } ?? [0] + mention.name : mention.name
    guard let place = places[key] else {
      let place = artists.count
      places[key] = place
      artists.append(
        Artist(name: mention.name, id: mention.id, imageURL: mention.imageURL, isNameOnly: mention.isFallback))
      compare(mention, id, place)
      return place
    }
    if !mention.isFallback {
      if artists[place].isNameOnly {
        (artists[place].id, artists[place].imageURL, artists[place].isNameOnly) = (mention.id, mention.imageURL, false)
      } else {
        complete(mention, place)
      }
    }
    compare(mention, id, place)
    return place
  }

  private mutating func complete(_ mention: ExpectedDocument.Mention, _ place: Int) {
    func isMissing(_ value: [UInt8]?, in known: [UInt8]?) -> Bool { value?.isEmpty == false && known?.isEmpty != false }
    let givesID = isMissing(mention.id, in: artists[place].id)
    let givesImage = isMissing(mention.imageURL, in: artists[place].imageURL)
    if givesID { artists[place].id = mention.id }
    if givesImage { artists[place].imageURL = mention.imageURL }
    guard givesID || givesImage, !artists[place].hasLateDetails else { return }
    artists[place].hasLateDetails = true
    count(
      "late_details", 1, "\(example(mention.name)): \(example(mention.id ?? [])) \(example(mention.imageURL ?? []))")
  }

  /// Counts an artist at its first contradiction, and an id or name when it first belongs to a second artist.
  private mutating func compare(_ mention: ExpectedDocument.Mention, _ id: [UInt8]?, _ place: Int) {
    if let image = mention.imageURL, !image.isEmpty, !mention.isFallback {
      if Set(artists[place].images).count == 1, artists[place].images.first != image {
        count("image_conflicts", 1, "\(example(mention.name)): \(example(image))")
      }
      artists[place].images.append(image)
    }
    // A mention without an id contradicts nothing.
    if let shared = id.map({ isByID ? mention.name : $0 }), sharers[shared]?.contains(place) != true {
      sharers[shared, default: []].append(place)
      if let first = sharers[shared]?.first, sharers[shared]?.count == 2 {
        count(
          isByID ? "name_conflicts" : "id_conflicts", 1,
          isByID
            ? example(shared) : "\(example(shared)): \(example(artists[first].name)), \(example(mention.name))")
      }
    }
    guard let rival = isByID ? id.map({ _ in mention.name }) : id else { return }
    let distinct = Set(artists[place].rivals)
    if distinct.count == 1, let first = artists[place].rivals.first, first != rival {
      let subject = isByID ? id ?? [] : mention.name
      count(
        isByID ? "id_conflicts" : "name_conflicts", 1, "\(example(subject)): \(example(first)), \(example(rival))")
    }
    artists[place].rivals.append(rival)
  }

  private func example(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
