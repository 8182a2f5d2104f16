internal import Diagnostics
internal import PersistentStore
internal import TrackLibrary

/// Writes the rows of a book library.
struct BookWriter {
  private static let givenNames = ["Ana", "Boris", "Chidi", "Dora", "Emil", "Fatma", "Goran", "Hana", "Ilse", "Jun"]
  private static let familyNames = [
    "Abel", "Børresen", "Castro", "Đurić", "Eze", "Fónagy", "Güler", "Håkansson", "Ito", "Joubert", "Квас", "Łuczak",
  ]
  private static let adjectives = ["Blue", "Distant", "Early", "Hidden", "Last", "Narrow", "Quiet", "Second"]
  private static let nouns = ["Bridge", "Garden", "Harbour", "Letter", "Orchard", "River", "Station", "Winter"]

  private let library: ExampleLibrary
  private let writer: StoreWriter
  /// One user for ten books.
  private let ordinaryUserCount: Int64

  init(_ library: ExampleLibrary, _ writer: StoreWriter) {
    self.library = library
    self.writer = writer
    ordinaryUserCount = Int64(max(2, library.count / 10))
  }

  func insert() throws(MigrationError) {
    try insertUsers()
    let inserter = try writer.inserter(
      forEntityNamed: "Book", properties: ["title", "authorName", "fileURL", "user"])
    let oddities = library.includesOddities ? BookOddity.books(firstUser: ordinaryUserCount + 1) : []
    for index in 0..<library.count {
      try library.report(index)
      let book = index < oddities.count ? oddities[index] : ordinaryBook(index)
      try inserter.insert(
        primaryKey: Int64(index + 1),
        values: [
          ColumnValue(book.title), ColumnValue(book.authorName), ColumnValue(book.fileURL), ColumnValue(book.user),
        ])
    }
    try library.report(library.count)
  }

  private func insertUsers() throws(MigrationError) {
    guard library.count > 0 else { return }
    let inserter = try writer.inserter(forEntityNamed: "User", properties: ["userId"])
    for key in 1...ordinaryUserCount {
      try inserter.insert(primaryKey: key, values: [.integer(key)])
    }
    guard library.includesOddities else { return }
    for (index, userID) in BookOddity.userIDs.enumerated() {
      try inserter.insert(primaryKey: ordinaryUserCount + 1 + Int64(index), values: [ColumnValue(userID)])
    }
  }

  private func ordinaryBook(_ index: Int) -> BookRow {
    var random = SplitMix64(seed: library.seed, purpose: .track, index: index)
    func one(of words: [String]) -> String { words[random.below(words.count)] }
    let author = "\(one(of: Self.givenNames)) \(one(of: Self.familyNames))"
    let title = "The \(one(of: Self.adjectives)) \(one(of: Self.nouns)), volume \(index + 1)"
    return BookRow(title, by: author, user: 1 + Int64(random.below(Int(ordinaryUserCount))))
  }
}
