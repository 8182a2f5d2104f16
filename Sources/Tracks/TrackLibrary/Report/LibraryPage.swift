internal import DataModel
internal import FeedFiles
internal import Foundation
internal import JSONPresets
package import Migration
package import MigrationDiagnostics
internal import ModelInspection
internal import PersistentStore
package import Pictures
internal import Policies
internal import SystemC
internal import TerminalOutput

/// A page about a migrated library: what it holds, what the migration did, and what a person should look at.
package struct LibraryPage {
  /// The reader's next steps, as commands.
  package struct Advice: Sendable {
    fileprivate let export, review, apply: String

    /// - Parameters:
    ///   - export: Writes all artists.
    ///   - review: Lists what a person should decide about artists.
    ///   - apply: Carries the decisions out.
    package init(export: String, review: String, apply: String) {
      (self.export, self.review, self.apply) = (export, review, apply)
    }
  }

  /// The library.
  private let path: String
  private let advice: Advice
  /// The report of the migration; by default, the one beside the library.
  package var report: MigrationReport?

  /// Prepares a page.
  package init(path: String, advice: Advice) { (self.path, self.advice) = (path, advice) }

  /// The page, the links to missing rows, and why the report beside the library cannot be read, if there is one that cannot.
  ///
  /// - Throws: `MigrationError` if the library cannot be read or has not been migrated.
  package func make() throws -> (html: String, danglingLinks: DanglingLinks, reportError: MigrationError?) {
    let (page, danglingLinks, reportError) = try page()
    return (page.html.text, danglingLinks, reportError)
  }

  private func page() throws -> (Page, DanglingLinks, MigrationError?) {
    let library = try TrackLibraryReader(migratedLibraryAt: path)
    let (report, reportError) = report.map { ($0, nil) } ?? LibraryStatistics.report(of: library)
    let (figures, suggestions) = try library.reading {
      // Looking for what a person should decide takes as long as counting, and opens the library again anyway.
      let review = Background { [path] () throws(MigrationError) in
        try ArtistReview(checkedLibraryAt: path).suggestions
      }
      let figures = Result { try LibraryFigures(library) }
      let suggestions = review.result()
      return (try figures.get(), try suggestions.get())
    }
    let page = try LibraryPageParts(library, figures, report, advice).page(suggestions, reportError: reportError)
    try library.store.close()
    return (page, figures.danglingLinks, reportError)
  }

  /// Returns the time of each part of a migration, and the memory by then.
  package static func phases(_ phases: [MigrationPhase]?) -> HTML {
    guard let phases, !phases.isEmpty else { return "" }
    return .table(
      ["Part", "Time", "Most memory by its end"],
      phases.map { [.name($0.name), .duration($0.seconds), .size($0.bytes)] },
      caption: "Time and memory by part", isNumeric: [1, 2])
  }
}

/// The sections of the page.
private struct LibraryPageParts {
  private let library: TrackLibraryReader
  private let figures: LibraryFigures
  private let report: MigrationReport?
  private let advice: LibraryPage.Advice

  init(
    _ library: TrackLibraryReader, _ figures: LibraryFigures, _ report: MigrationReport?, _ advice: LibraryPage.Advice
  ) {
    (self.library, self.figures, self.report, self.advice) = (library, figures, report, advice)
  }

  func page(_ suggestions: [ArtistReview.Suggestion], reportError: MigrationError?) throws -> Page {
    let name = FileSystem.split(library.store.file.path).name.spellingPathBytes
    var sections = [
      Page.Section("summary", "Before and after", summary(reportError)),
      Page.Section("artists", "Artists", artists),
      Page.Section("links", "Tracks and their artists", links),
      Page.Section("together", "Artists who appear together", together),
      Page.Section("played", "When tracks were last played", played),
    ]
    if let report {
      sections += [
        Page.Section("json", "What the JSON said", json(report)),
        Page.Section("rejects", "What could not be read", try rejects(report)),
      ]
    }
    sections += [
      Page.Section("review", "What to look at", review(suggestions)),
      Page.Section("schema", "Schema", schema),
    ]
    if let report {
      sections.append(Page.Section("run", report.feedPath == nil ? "The migration" : "The import", run(report)))
    }
    let done: HTML =
      report.flatMap { report in
        report.finishedAtSeconds.map {
          "\(report.feedPath == nil ? "Migrated" : "Imported") \(moment($0 - ReferenceDate.sinceEpoch)) with version \(report.toolVersion)."
        }
      } ?? "There are no statistics of its migration."
    return Page(
      name, subtitle: done, sections,
      footer: "This page holds all that it shows, and loads nothing. Images of artists are links.")
  }

  private func moment(_ secondsSince2001: Double) -> HTML { .moment(ReferenceDate.iso8601(secondsSince2001)) }

  // MARK: - Sections

  private func summary(_ reportError: MigrationError?) -> HTML {
    let report = report?.feedPath == nil ? report : nil
    var cards: [(name: String, value: HTML, before: HTML?)] = [
      ("Tracks", .number(figures.trackCount), report.flatMap { $0.facts[.tracks].map { .number($0) } }),
      ("Artists", .number(figures.artistCount), report == nil ? nil : "only in JSON"),
      ("Links", .number(figures.linkCount), report == nil ? nil : "none"),
      ("File", .size(library.store.file.size), report.map { .size($0.sourceSizeBytes) }),
    ]
    if figures.danglingLinks.count > 0 {
      cards.append(("Links to missing rows, not counted", .number(Int(clamping: figures.danglingLinks.count)), nil))
    }
    if let facts = report?.facts, let tracks = facts[.tracks], let fallbacks = facts[.fallbackTracks] {
      cards.append(("Tracks with artists from JSON", .number(tracks &- fallbacks), nil))
      cards.append(("Documents kept as rejects", .number(facts[.rejects] ?? 0), nil))
    }
    let problem: HTML =
      reportError.map { "<p>\(ErrorMessage($0).problem).</p>" }
      ?? (self.report == nil
        ? "<p>Without statistics beside the library, this page shows what it holds, but not what its migration did.</p>"
        : "")
    return Page.cards(cards) + problem
  }

  private var artists: HTML {
    let top = figures.artists.prefix(25).map { ChartValue($0.name ?? "(no name)", $0.trackCount) }
    let chart = Chart(.bars, "Artists with the most tracks", Array(top), label: "Artist", value: "Tracks")
    let rows = figures.artists.map { artist -> [FieldValue] in
      [
        FieldValue(artist.name), .integer(Int64(artist.trackCount)), FieldValue(artist.id),
        FieldValue(artist.lastPlayedAt.map { String(ReferenceDate.iso8601($0).prefix(10)) }), .integer(artist.key),
        FieldValue(artist.imageURL),
      ]
    }
    let more: HTML =
      figures.artists.count < figures.artistCount
      ? """
      The table has the \(HTML.number(figures.artists.count)) artists with the most tracks. For all of them: \
      <code>\(advice.export)</code>
      """ : "A name leads to the artist’s image, where there is one."
    let table = Page.search(
      "artists",
      columns: [
        ("Artist", false), ("Tracks", true), ("Id", false), ("Last played", false), ("Key", true), ("Image", false),
      ], rows: rows, links: 5, total: figures.artistCount, more: more)
    let images: HTML = """
      <p>\(HTML.number(figures.imageCount)) of \(HTML.number(figures.artistCount)) artists have an image, and \
      \(HTML.number(figures.idCount)) have an id.</p>
      """
    return chart.html + "<h3>All artists</h3>" + images + table
  }

  private var links: HTML {
    let perArtist = Chart(
      .columns, "Tracks per artist", figures.tracksPerArtist, label: "Tracks", value: "Artists with so many")
    let perTrack = Chart(
      .columns, "Artists per track", figures.artistsPerTrack, label: "Artists", value: "Tracks with so many")
    return "<div class=\"pair\">\(perArtist.html)\(perTrack.html)</div>"
  }

  private var together: HTML {
    let (nodes, edges) = figures.network
    let chart = NetworkChart(
      "The \(nodes.count) artists who share most tracks", nodes, edges, node: "Artist", weight: "Tracks together")
    return chart.html
      + "<p class=\"note\">A circle is the larger the more tracks the artist has, a line the thicker the more tracks both share.</p>"
  }

  private var played: HTML {
    let chart = Chart(
      .columns, "Tracks by the time when they were last played", figures.played, label: "Time", value: "Tracks")
    func rest(_ count: Int, _ words: HTML) -> HTML {
      count == 0 ? "" : "<p>\(HTML.number(count)) \(count == 1 ? "track has" : "tracks have") \(words).</p>"
    }
    return chart.html + rest(figures.neverPlayedCount, "no time")
      + rest(figures.oddTimeCount, "text or bytes in place of a time")
  }

  private func json(_ report: MigrationReport) -> HTML {
    let facts = report.facts
    let presets = facts[.presets].sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let fallbacks = facts.fallbackReasons.map { ChartValue($0.reason.summary, $0.count, note: $0.reason.rawValue) }
    let presetChart = Chart(
      .bars, "Documents by preset", presets.map { ChartValue($0.key, $0.value, note: Preset.named($0.key)?.title) },
      label: "Service", value: "Documents")
    let fallbackChart = Chart(
      .bars, "Tracks that use their artistName, by reason", fallbacks, label: "Reason", value: "Tracks")
    let findings = Fact.all(of: .feed, .document, .detail, .conflict, .name, .place)
    let counts = findings.compactMap { fact in facts[fact].map { ["\(fact.traits.help)", .number($0)] as [HTML] } }
    let examples = findings.map { conflicts($0.traits.help, facts.examples(of: $0) ?? []) }
    return presetChart.html + fallbackChart.html
      + .table(["Finding", "Number"], counts, caption: "Other findings", isNumeric: [1]) + "\(examples)"
  }

  private func conflicts(_ title: String, _ examples: [String]) -> HTML {
    guard !examples.isEmpty else { return "" }
    let rows = examples.map { example -> HTML in "<li>\(HTML.name(example))</li>\n" }
    return "<h3>\(title), such as</h3><ul>\(rows)</ul>"
  }

  private func rejects(_ report: MigrationReport) throws -> HTML {
    guard let count = report.facts[.rejects], count > 0, let name = report.rejectsFile else {
      return "<p class=\"none\">Every document was read.</p>"
    }
    let file = FileSystem.sibling(of: library.store.file.resolvedPath, named: name)
    let shown: [RejectExcerpt]
    do {
      shown = try RejectExcerpt.first(25, ofFileAt: file)
    } catch let error as MigrationError {
      return
        "<p>\(HTML.number(count)) \(count == 1 ? "document was" : "documents were") kept, but \(ErrorMessage(error).problem).</p>"
    }
    let items = shown.map { reject -> HTML in
      let reason =
        FallbackReason(rawValue: reject.reason)?.summary
        ?? Fact.allCases.first { $0.name == reject.reason }?.traits.loss ?? reject.reason
      let title: HTML = reject.title.map { " \(HTML.name($0))" } ?? ""
      return "<h3>\(reject.place)\(title): \(reason)</h3><pre>\(reject.excerpt)</pre>\n"
    }
    let rest: HTML =
      shown.count < count
      ? "<p class=\"note\">The first \(shown.count) of \(HTML.number(count)).</p>" : ""
    return """
      <p>\(HTML.number(count)) documents are kept word for word in <code>\(name)</code>. \
      The mark is where reading failed.</p>\(items)\(rest)
      """
  }

  private func review(_ suggestions: [ArtistReview.Suggestion]) -> HTML {
    guard !suggestions.isEmpty else {
      return "<p class=\"none\">No artist looks like another, and no name looks like several.</p>"
    }
    let rows = suggestions.prefix(50).map { suggestion -> [HTML] in
      let into = suggestion.into.map { HTML.name($0.name) }
      let targets = into.enumerated().map { $0.offset == 0 ? $0.element : ", " + $0.element }
      return [
        .name(suggestion.artist), "\(targets)", .number(Int(suggestion.tracksCount)), "\(suggestion.evidence)",
      ]
    }
    let rest: HTML =
      suggestions.count > 50 ? "The 50 with the most tracks, of \(HTML.number(suggestions.count)). " : ""
    return .table(
      ["Artist", "Perhaps", "Tracks", "Why"], Array(rows), caption: "Artists who may be the same, or several",
      isNumeric: [2])
        + """
        <p class="note">\(rest)Nothing was merged or split. Decide with <code>\(advice.review)</code> and \
        <code>\(advice.apply)</code>.</p>
        """
  }

  private var schema: HTML {
    let isImported = report?.feedPath != nil
    let source =
      isImported ? library.model : TrackModelVersion(rawValue: report?.sourceVersion ?? "v1")?.model ?? TrackModel.v1
    let old = NamedModel(model: source, name: report?.sourceVersion ?? "v1", precision: .source)
    let new = NamedModel(model: library.model, name: report?.destinationVersion ?? "v2", precision: .source)
    return new.difference(from: old).diagram(from: old, to: new).html
  }

  private func run(_ report: MigrationReport) -> HTML {
    var rows: [[HTML]] = [
      ["Time", .duration(report.elapsedSeconds)],
      ["Rate", "\(HTML.number(Int(picturing: report.tracksPerSecond))) tracks a second"],
      ["Most memory", .size(report.peakMemoryBytes)],
      ["Artists are the same by", "\(report.identity)"],
      ["Options", "\(report.options.map { $0.isEmpty ? "none" : $0.joined(separator: " ") } ?? "not recorded")"],
    ]
    if let feed = report.feedPath { rows.append(["Feed", "<code>\(feed)</code>"]) }
    if let uuid = report.libraryUUID { rows.append(["UUID", "\(uuid)"]) }
    if let backup = report.backupFile { rows.append(["Backup", "<code>\(backup)</code>"]) }
    for (kind, count) in report.facts[.decisions].sorted(by: { $0.key < $1.key }) {
      rows.append(["Decisions: \(kind)", .number(count)])
    }
    let left = report.leftBehindCountByName.sorted { $0.key < $1.key }.map { name, count -> [HTML] in
      [.name(name), .number(Int(count)), "\(report.leftBehindReasonByName?[name] ?? "")"]
    }
    let kept = (report.keptCountByName ?? [:]).sorted { $0.key < $1.key }.map { name, count -> [HTML] in
      [.name(name), .number(Int(count)), "kept as it is"]
    }
    let remarks = (report.modelRemarks ?? []).map { remark -> HTML in "<li>\(remark)</li>\n" }
    return .table(["What", "Value"], rows, caption: "How it was made") + LibraryPage.phases(report.phases)
      + (left.isEmpty && kept.isEmpty
        ? report.sourceVersion == "feed" ? "" : "<p class=\"none\">Nothing besides tracks was in the old library.</p>"
        : .table(
          ["Table or column", "Rows or values", "What became of it"], left + kept,
          caption: "Data outside the model", isNumeric: [1]))
      + (remarks.isEmpty ? "" : "<ul>\(remarks)</ul>")
  }
}

/// The text around the place at which a document could not be read.
struct RejectExcerpt {
  /// Such as "Track 7", or "Line 7" of a feed.
  let place: String
  let title: String?
  let reason: String
  /// The text, with the place marked.
  let excerpt: HTML

  private struct Line: Decodable {
    let primaryKey: Int64?
    let line: Int64?
    let title: String?
    let reason: String
    let byteOffset: Int?
    let json: String?
    let jsonBase64: String?
  }

  /// The first lines of a file of rejects.
  static func first(_ count: Int, ofFileAt path: String) throws -> [RejectExcerpt] {
    // A link could lead to anybody's file.
    let kind = FileStatus(unresolved: path)?.kind
    guard kind != .link else { throw MigrationError(.unreadable, path: path, detail: "it is a symbolic link") }
    let lines = try FeedReader(FeedSource(path: path, format: .ndjson), isFile: true) { false }
    var found: [RejectExcerpt] = []
    while found.count < count, let line = try lines.nextLine() {
      guard let content = try? JSONDecoder().decode(Line.self, from: Data(line)) else { continue }
      let bytes =
        content.json.map { Array($0.utf8) } ?? content.jsonBase64.flatMap { Data(base64Encoded: $0) }.map(Array.init)
        ?? []
      found.append(
        RejectExcerpt(
          place: content.primaryKey.map { "Track \($0)" } ?? "Line \(content.line ?? 0)", title: content.title,
          reason: content.reason,
          excerpt: excerpt(bytes, content.byteOffset)))
    }
    return found
  }

  /// Up to 160 bytes before the place and 80 after it.
  static func excerpt(_ bytes: [UInt8], _ offset: Int?) -> HTML {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    // Not in the middle of a character.
    func boundary(_ place: Int) -> Int {
      var place = min(max(0, place), bytes.count)
      while place > 0, place < bytes.count, bytes[place] & 0xC0 == 0x80 { place -= 1 }
      return place
    }
    guard let offset, offset <= bytes.count else {
      let end = boundary(240)
      return "\(text(0..<end))\(end < bytes.count ? "…" : "")"
    }
    let start = boundary(offset - 160)
    let place = max(start, boundary(offset))
    var next = min(place + 1, bytes.count)
    while next < bytes.count, bytes[next] & 0xC0 == 0x80 { next += 1 }
    let end = max(next, boundary(offset + 80))
    let fault: HTML =
      place == bytes.count ? "<mark>end</mark>" : "<mark>\(text(place..<next))</mark>"
    return """
      \(start > 0 ? "…" : "")\(text(start..<place))\(fault)\(text(next..<end))\(end < bytes.count ? "…" : "")
      """
  }
}
