internal import DataModel
internal import FeedFiles
internal import Foundation
internal import JSONPresets
package import Migration
package import MigrationDiagnostics
internal import ModelInspection
internal import PersistentStore
package import Pictures
package import Policies
internal import SystemC
internal import TerminalOutput

/// A page about a library: what it holds, what the migration did or would do, and what a person should look at.
package struct LibraryPage {
  /// The reader's next steps, as commands.
  package struct Advice: Sendable {
    let export, artist, review, apply, info, doctor, migrate, migrateDecided: String

    /// - Parameters:
    ///   - export: Writes all artists.
    ///   - artist: Shows the artist whose name follows.
    ///   - review: Lists what a person should decide about artists.
    ///   - apply: Carries the decisions out.
    ///   - info: Describes JSON of an unknown shape.
    ///   - doctor: Examines the library.
    ///   - migrate: Migrates the library.
    ///   - migrateDecided: Migrates it and carries the decisions out.
    package init(
      export: String, artist: String, review: String, apply: String, info: String, doctor: String, migrate: String,
      migrateDecided: String
    ) {
      (self.export, self.artist, self.review, self.apply) = (export, artist, review, apply)
      (self.info, self.doctor, self.migrate, self.migrateDecided) = (info, doctor, migrate, migrateDecided)
    }
  }

  /// The library.
  private let path: String
  private let advice: Advice
  /// The report of the migration; by default, the one beside the library.
  package var report: MigrationReport?
  /// The options for a library that has not been migrated.
  package var options = TrackMigrationOptions()
  /// Cancels the dry run of a library that has not been migrated.
  package var cancellation = MigrationCancellation()

  /// Prepares a page.
  package init(path: String, advice: Advice) { (self.path, self.advice) = (path, advice) }

  /// The page, the links to missing rows, and why the report beside the library cannot be read, if there is one that cannot.
  ///
  /// A library that has not been migrated is migrated to a temporary file for it.
  ///
  /// - Throws: `MigrationError` if the library cannot be read.
  package func make() throws -> (html: String, danglingLinks: DanglingLinks, reportError: MigrationError?) {
    let library = try TrackLibraryReader(path: path)
    guard try library.isCurrent() else {
      try library.store.close()
      return try rehearsed()
    }
    var (report, reportError) = report.map { ($0, nil) } ?? LibraryStatistics.report(of: library)
    let rejects = report?.rejectsFile.map {
      StoreCompanion.rejectsPath(
        named: String(spellingOfPathBytes: $0), besideStoreAt: library.store.file.resolvedPath)
    }
    report?.rejectsFile = rejects.map { FileSystem.split($0).name.spellingPathBytes }
    let contents = try LibraryContents(of: library, rejectsPath: rejects)
    try library.store.close()
    let page = LibraryPageParts(path, contents, report, advice).page(reportError: reportError)
    return (page.html.text, contents.figures.danglingLinks, reportError)
  }

  /// The page about what a migration would make of the library.
  private func rehearsed() throws -> (html: String, danglingLinks: DanglingLinks, reportError: MigrationError?) {
    var found: LibraryContents?
    var migration = LibraryMigration(path: path)
    migration.trackOptions = options
    migration.cancellation = cancellation
    migration.onRehearsed = { path, rejectsPath throws(MigrationError) in
      let library = try TrackLibraryReader(migratedLibraryAt: path)
      do {
        found = try LibraryContents(of: library, rejectsPath: rejectsPath)
      } catch {
        throw error as? MigrationError ?? MigrationError(.inputOutput, path: path, detail: "\(error)")
      }
      try library.store.close()
    }
    guard case .migrated(let result) = try migration.run(isDryRun: true), let found else {
      throw MigrationError(.migrationFailed, path: path, detail: "there are no statistics")
    }
    let page = LibraryPageParts(path, found, result.report, advice).page(reportError: nil)
    return (page.html.text, found.figures.danglingLinks, nil)
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

/// The contents of a migrated library that its page shows.
private struct LibraryContents {
  let model: ManagedObjectModel
  let size: Int64
  let figures: LibraryFigures
  let suggestions: [ArtistReview.Suggestion]
  /// The first rejects, or why they cannot be read.
  let rejects: Result<[RejectExcerpt], MigrationError>

  init(of library: TrackLibraryReader, rejectsPath: String?) throws {
    (model, size) = (library.model, library.store.file.size)
    let path = library.store.file.path
    (figures, suggestions) = try library.reading {
      // Looking for what a person should decide takes as long as counting, and opens the library again anyway.
      let review = Background { () throws(MigrationError) in
        try ArtistReview(checkedLibraryAt: path).suggestions
      }
      let figures = Result { try LibraryFigures(library) }
      let suggestions = review.result()
      return (try figures.get(), try suggestions.get())
    }
    do {
      rejects = .success(try rejectsPath.map { try RejectExcerpt.first(25, ofFileAt: $0) } ?? [])
    } catch let error as MigrationError {
      rejects = .failure(error)
    }
  }
}

/// The sections of the page.
private struct LibraryPageParts {
  private let path: String
  private let contents: LibraryContents
  private let report: MigrationReport?
  private let advice: LibraryPage.Advice

  private var figures: LibraryFigures { contents.figures }
  private var isRehearsal: Bool { report?.isDryRun == true }
  private var isImport: Bool { report?.feedPath != nil }

  init(_ path: String, _ contents: LibraryContents, _ report: MigrationReport?, _ advice: LibraryPage.Advice) {
    (self.path, self.contents, self.report, self.advice) = (path, contents, report, advice)
  }

  func page(reportError: MigrationError?) -> Page {
    let name = FileSystem.split(path).name.spellingPathBytes
    let isEmpty = figures.trackCount == 0 && figures.artistCount == 0
    guard !isEmpty || figures.danglingLinks.count > 0 || (report?.facts[.rejects] ?? 0) > 0 else {
      return Page(name, subtitle: subtitle, verdict: "This library is empty: it has no tracks and no artists.", [])
    }
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
        Page.Section("rejects", "What could not be read", rejects(report)),
      ]
    }
    sections += [
      Page.Section("review", "What to look at", review(contents.suggestions)), Page.Section("schema", "Schema", schema),
    ]
    if let report {
      let title = isRehearsal ? "The dry run" : isImport ? "The import" : "The migration"
      sections.append(Page.Section("run", title, run(report)))
    }
    return Page(name, subtitle: subtitle, verdict: verdict, findings: findings, sections)
  }

  private var subtitle: HTML {
    guard let report else { return "There are no statistics of its migration." }
    if isRehearsal {
      return """
        A \(report.sourceVersion) library that has not been migrated. This page shows what a migration would make of it.
        """
    }
    guard let done = report.finishedAtSeconds else { return "" }
    return """
      \(isImport ? "Imported" : "Migrated") \(moment(done - ReferenceDate.sinceEpoch)) with version \(report.toolVersion).
      """
  }

  private func moment(_ secondsSince2001: Double) -> HTML { .moment(ReferenceDate.iso8601(secondsSince2001)) }

  // MARK: - Summary

  private func counted(_ count: Int, _ noun: String) -> HTML {
    "\(HTML.number(count)) \(count == 1 ? noun : "\(noun)s")"
  }

  /// The outcome in a sentence.
  private var verdict: HTML {
    let holds: HTML = "\(counted(figures.trackCount, "track")) by \(counted(figures.artistCount, "artist"))"
    guard let report, let tracks = report.facts[.tracks], !isImport else { return "\(holds)." }
    let fallbacks = report.facts[.fallbackTracks] ?? 0
    let read: HTML =
      fallbacks == 0
      ? "the artists of all of them were read from JSON"
      : "\(HTML.number(tracks &- fallbacks)) with artists from JSON, \(HTML.number(fallbacks)) by their artist’s name"
    let rejects = report.facts[.rejects] ?? 0
    let kept: HTML = rejects == 0 ? "" : ", \(HTML.number(rejects)) kept as rejects"
    return "\(isRehearsal ? "A migration would give " : "")\(holds): \(read)\(kept)."
  }

  /// Things to know or to do, each with the section and the command that have more.
  private var findings: [Page.Finding] {
    let facts = report?.facts ?? Facts()
    var found: [Page.Finding] = []
    func add(_ count: Int?, _ text: HTML, _ section: StaticString?, _ command: String? = nil) {
      if let count, count > 0 { found.append(Page.Finding(text, in: section, command: command)) }
    }
    if let shape = report?.unmatchedJSON {
      found.append(Page.Finding("Most JSON has another shape: \(shape)", in: "json", command: advice.info))
    }
    let (fallbacks, reasons) = (facts[.fallbackTracks] ?? 0, facts.fallbackReasons)
    let some = reasons.prefix(3).map { "\($0.reason.summary) (\(NumberFormat.grouped($0.count)))" }
    let rest = reasons.count > some.count ? " and others" : ""
    let list = some.joined(separator: ", ") + rest
    add(fallbacks, "\(counted(fallbacks, "track")) by their artist’s name: \(list)", "json")
    add(facts[.rejects], "\(counted(facts[.rejects] ?? 0, "document")) kept as rejects", "rejects")
    for fact in Fact.all(of: .conflict) {
      add(facts[fact], "\(fact.traits.help): \(HTML.number(facts[fact] ?? 0))", "json", advice.review)
    }
    let names = contents.suggestions.count
    add(names, "\(counted(names, "artist")) may be the same as another one, or several", "review", advice.review)
    let dangling = Int(clamping: figures.danglingLinks.count)
    add(dangling, "\(counted(dangling, "link")) to missing rows", "summary", advice.doctor)
    add(report?.leftBehindCountByName.count, "Data outside the model was not carried over", "run")
    if isRehearsal { found.append(Page.Finding("To migrate it", command: advice.migrate)) }
    return found
  }

  private func summary(_ reportError: MigrationError?) -> HTML {
    let report = isImport ? nil : report
    var cards: [(name: String, value: HTML, before: HTML?)] = [
      ("Tracks", .number(figures.trackCount), report.flatMap { $0.facts[.tracks].map { .number($0) } }),
      ("Artists", .number(figures.artistCount), report == nil ? nil : "only in JSON"),
      ("Links", .number(figures.linkCount), report == nil ? nil : "none"),
      ("File", .size(contents.size), report.map { .size($0.sourceSizeBytes) }),
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
    let rows = figures.artists.enumerated().map { place, artist -> [FieldValue] in
      let least: [FieldValue] = [
        FieldValue(artist.name), .integer(Int64(artist.trackCount)), .integer(artist.key),
      ]
      guard place < LibraryFigures.listLimit else { return least }
      return least + [
        FieldValue(artist.id), FieldValue(artist.lastPlayedAt.map { String(ReferenceDate.iso8601($0).prefix(10)) }),
        FieldValue(artist.imageURL), .strings(artist.titles),
      ]
    }
    let more: HTML =
      figures.artists.count < figures.artistCount
      ? """
      The table has the \(HTML.number(figures.artists.count)) artists with the most tracks. For all of them: \
      <code>\(isRehearsal ? advice.migrate : advice.export)</code>
      """
      : figures.artistCount > LibraryFigures.listLimit
        ? "Ids, times and images are those of the \(HTML.number(LibraryFigures.listLimit)) artists with the most tracks."
        : "A name opens the artist’s tracks, and a link to its image, where there is one."
    let table = Page.search(
      "artists",
      columns: [
        Page.Column("Artist"), Page.Column("Tracks", .number), Page.Column("Key", .number), Page.Column("Id"),
        Page.Column("Last played"), Page.Column("Image", .link), Page.Column("Titles", .list),
      ], rows: rows, total: figures.artistCount, command: isRehearsal ? nil : advice.artist, more: more)
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

  private func rejects(_ report: MigrationReport) -> HTML {
    guard let count = report.facts[.rejects], count > 0, let name = report.rejectsFile else {
      return "<p class=\"none\">Every document was read.</p>"
    }
    let shown: [RejectExcerpt]
    switch contents.rejects {
    case .success(let excerpts): shown = excerpts
    case .failure(let error):
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
      <p>\(HTML.number(count)) documents \(isRehearsal ? "would be" : "are") kept word for word in <code>\(name)</code>. \
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
    let apply = isRehearsal ? advice.migrateDecided : advice.apply
    let rest: HTML =
      suggestions.count > 50 ? "The 50 with the most tracks, of \(HTML.number(suggestions.count)). " : ""
    return .table(
      ["Artist", "Perhaps", "Tracks", "Why"], Array(rows), caption: "Artists who may be the same, or several",
      isNumeric: [2])
        + """
        <p class="note">\(rest)Nothing was merged or split. Decide with <code>\(advice.review)</code> and \
        <code>\(apply)</code>.</p>
        """
  }

  private var schema: HTML {
    let source =
      isImport ? contents.model : TrackModelVersion(rawValue: report?.sourceVersion ?? "v1")?.model ?? TrackModel.v1
    let old = NamedModel(model: source, name: report?.sourceVersion ?? "v1", precision: .source)
    let new = NamedModel(model: contents.model, name: report?.destinationVersion ?? "v2", precision: .source)
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
