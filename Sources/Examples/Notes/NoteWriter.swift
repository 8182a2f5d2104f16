internal import Diagnostics
internal import PersistentStore
internal import TrackLibrary

/// Writes the rows of a note library.
struct NoteWriter {
  private static let words = [
    "bread", "call", "garden", "idea", "key", "lamp", "letter", "meeting", "milk", "morning", "paint", "paper", "plan",
    "rain", "shelf", "table", "ticket", "train", "walk", "window", "übermorgen", "été", "мост", "☂️",
  ]

  private let library: ExampleLibrary
  private let writer: StoreWriter
  private let hasImages: Bool

  init(_ library: ExampleLibrary, _ writer: StoreWriter, hasImages: Bool) {
    self.library = library
    self.writer = writer
    self.hasImages = hasImages
  }

  func insert() throws(MigrationError) {
    let properties = ["title", "body", "dateCreated", "displayIndex"] + (hasImages ? ["image"] : [])
    let inserter = try writer.inserter(forEntityNamed: "Note", properties: properties)
    let oddities = library.includesOddities ? NoteOddity.all : []
    for index in 0..<library.count {
      try library.report(index)
      let note = index < oddities.count ? oddities[index] : ordinaryNote(index)
      let values: [ColumnValue] = [
        .text(note.title), ColumnValue(note.body), .real(note.dateCreated), .integer(note.displayIndex),
      ]
      try inserter.insert(
        primaryKey: Int64(index + 1), values: values + (hasImages ? [ColumnValue(note.image)] : []))
    }
    try library.report(library.count)
  }

  private func ordinaryNote(_ index: Int) -> NoteRow {
    var random = SplitMix64(seed: library.seed, purpose: .track, index: index)
    let body = (0...random.below(30)).map { _ in Self.words[random.below(Self.words.count)] }
    var note = NoteRow("Note \(index + 1)", body.joined(separator: " "), image: image(index))
    note.displayIndex = Int64(index)
    note.dateCreated = 600_000_000 + Double(index) * 3600 + Double(random.below(3600))
    return note
  }

  /// Three of five notes have a picture.
  private func image(_ index: Int) -> [UInt8]? {
    guard hasImages else { return nil }
    var random = SplitMix64(seed: library.seed, purpose: .artist, index: index)
    let picture = SamplePicture(width: 1 + random.below(64), height: 1 + random.below(64))
    switch random.below(5) {
    case 0: return picture.png
    case 1: return picture.jpeg
    case 2: return picture.gif
    default: return nil
    }
  }
}
