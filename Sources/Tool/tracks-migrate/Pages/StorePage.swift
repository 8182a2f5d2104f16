import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import Pictures
import SystemC
import TerminalOutput
import TrackLibrary
import Verification

/// A page about the store of any app: what it holds, which hops lead to the current version or led to this one, and how
/// the models differ.
struct StorePage {
  private let info: LibraryInfo
  private let path: String
  /// The models of the app, if they were named.
  private let versions: AppVersions?
  /// The plan of the remaining migration.
  private let plan: MigrationPlan?
  /// The options that name the models; `nil` if there are none.
  private let modelWords: String?
  /// The report of the last migration.
  private let report: StoreMigrationReport?
  /// The values that are not what they were in the backup, or why they are not known; `nil` where there is none.
  private let changes: Result<ValueChanges, MigrationError>?

  /// Reads the store, and plans its migration where there are models.
  ///
  /// - Parameter statistics: The file that `migrate --stats` wrote; `nil` for the one beside the store, if there is one.
  init(path: String, options: ModelOptions, statistics: String?) throws {
    self.path = path
    info = try LibraryInfo(path: path)
    modelWords =
      options.model == nil ? nil : options.words.map(Advice.WayOut.optionWord).joined(separator: " ")
    versions = try options.model.map { try AppVersions(modelAt: ModelChoice($0).path) }
    plan = try options.model.map { model in
      try AppMigration(store: path, model: model, options: options, settings: MigrationSettings()).migration.plan()
    }
    // Any file may have been given the name of the store that those beside it tell of.
    let (report, uuid) = (try Self.report(path, statistics), info.metadata.uuid)
    self.report = statistics != nil || report?.libraryUuid == nil || report?.libraryUuid == uuid ? report : nil
    changes = plan?.steps.isEmpty == true ? try Self.changes(path, self.report, options) : nil
  }

  /// Compares a migrated store with its backup.
  private static func changes(
    _ path: String, _ report: StoreMigrationReport?, _ options: ModelOptions
  ) throws -> Result<ValueChanges, MigrationError>? {
    guard let model = options.model else { return nil }
    let named = (report?.backupFile).map { FileSystem.sibling(of: path, named: String(spellingOfPathBytes: $0)) }
    let backup = named.flatMap { FileSystem.exists($0) ? $0 : nil } ?? (try? AppVerification.backup(of: path))
    guard let backup else { return nil }
    var settings = MigrationSettings()
    settings.cancellation = SignalCancellation.listen()
    do {
      let verification = try AppVerification(path, source: backup, model: model, options: options, settings)
      return try verification.valueChanges(exampleCount: 5).map { .success($0) }
    } catch let error as MigrationError where error.code != .interrupted {
      return .failure(error)
    }
  }

  private static func report(_ path: String, _ statistics: String?) throws -> StoreMigrationReport? {
    let file = statistics ?? "\(path).migration.json"
    guard statistics != nil || FileSystem.exists(file) else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      let bytes = try statistics.map { try FileSystem.contents(ofInput: $0) } ?? FileSystem.contents(of: file)
      return try decoder.decode(StoreMigrationReport.self, from: Data(bytes))
    } catch let error as MigrationError {
      throw error
    } catch {
      var failure = MigrationError(.unreadableStatistics, path: file)
      failure.advice = "Name the file that 'migrate --stats' wrote, or move this one away."
      throw failure
    }
  }

  /// The page.
  var html: String {
    var sections = [
      Page.Section("summary", "Summary", summary), Page.Section("entities", "Entities", entities),
    ]
    if let plan, !plan.steps.isEmpty {
      sections += [
        Page.Section("plan", "The way to the current version", Diagram(plan, of: name).html),
        Page.Section("schema", "What changes", difference(plan.source, plan.destination)),
      ]
    }
    if let report {
      sections += [
        Page.Section("hops", "How it came here", way(report)), Page.Section("rows", "Rows by hop", rows(report)),
      ]
      if plan?.steps.isEmpty != false, let old = version(report.sourceVersion),
        let new = version(report.destinationVersion)
      {
        sections.append(Page.Section("schema", "What changed", difference(old, new)))
      }
      sections.append(Page.Section("rest", "What was not carried over", rest(report)))
    }
    if let changes { sections.append(Page.Section("values", "Which values changed", values(changes))) }
    return Page(name, subtitle: subtitle, verdict: verdict, findings: findings, sections).html.text
  }

  private var verdict: HTML {
    let instances = info.entities.reduce(0) { $0 + Int($1.instanceCount ?? 0) }
    let holds: HTML = "\(HTML.number(instances)) instances of \(HTML.number(info.entities.count)) entities"
    if let plan, !plan.steps.isEmpty {
      return """
        \(holds), of \(HTML.name(plan.source.name)): \(HTML.number(plan.steps.count)) \(plan.steps.count == 1 ? "hop" : "hops") \
        before \(HTML.name(plan.destination.name)).
        """
    }
    guard let report else { return "\(holds)." }
    let lost = lost(report)
    return """
      \(holds), migrated from \(HTML.name(report.sourceVersion)) to \(HTML.name(report.destinationVersion)); \
      \(lost.isEmpty ? "everything was carried over" : "not everything was carried over").
      """
  }

  /// The losses, and the command that has more.
  private var findings: [Page.Finding] {
    let word = Advice.WayOut.word(path)
    if let plan, !plan.steps.isEmpty {
      let options = modelWords.map { " \($0)" } ?? ""
      return [
        Page.Finding("What a migration does", in: "plan", command: "tracks-migrate \(word)\(options) --dry-run"),
        Page.Finding("What changes in the model", in: "schema"),
      ]
    }
    let changed: [Page.Finding]
    if case .success(let changes)? = changes, !changes.attributes.isEmpty {
      let entities = Set(changes.attributes.map(\.entity)).count
      changed = [
        Page.Finding(
          "Attributes with values that changed: \(HTML.number(changes.attributes.count)), of "
            + "\(HTML.number(entities)) \(entities == 1 ? "entity" : "entities")", in: "values")
      ]
    } else {
      changed = []
    }
    guard let report else { return changed }
    let verify = modelWords.map { "tracks-migrate verify \(word) \($0)" }
    return changed + lost(report).map { Page.Finding("\($0[0]): \($0[1]), \($0[2])", in: "rest") }
      + [Page.Finding("To compare every value with the backup", command: verify)]
  }

  private var name: String { FileSystem.split(path).name.spellingPathBytes }

  private var subtitle: HTML {
    guard let report else { return "A Core Data store." }
    let date = Date(timeIntervalSince1970: report.finishedAtSeconds).formatted(.iso8601)
    return "Migrated \(HTML.moment(date)) by tracks-migrate \(report.toolVersion)."
  }

  private func version(_ name: String) -> LoadedModelVersion? { versions?.all.first { $0.name == name } }

  private var summary: HTML {
    let instances = info.entities.reduce(0) { $0 + Int($1.instanceCount ?? 0) }
    var cards: [(name: String, value: HTML, before: HTML?)] = [
      ("Entities", .number(info.entities.count), nil), ("Instances", .number(instances), nil),
      ("File", .size(info.size), report.map { .size($0.sourceSizeBytes) }),
    ]
    if let versions {
      cards.insert(
        (
          "Version", .name(versions.name(of: info.metadata) ?? "not among the models"),
          report.map { .name($0.sourceVersion) }
        ),
        at: 0)
    }
    let hint: HTML =
      versions == nil
      ? "<p>With <code>--model</code>, this page also shows the way to the app’s current version.</p>" : ""
    return Page.cards(cards) + hint
  }

  private var entities: HTML {
    let values = info.entities.sorted { ($0.instanceCount ?? 0) > ($1.instanceCount ?? 0) }
      .map { ChartValue($0.name, Int($0.instanceCount ?? 0), note: $0.versionHash?.description) }
    return Chart(.bars, "Instances by entity", values, label: "Entity", value: "Instances").html
  }

  private func way(_ report: StoreMigrationReport) -> HTML {
    let names = [report.sourceVersion] + report.hops.map(\.destinationVersion)
    let arrows = report.hops.enumerated().map { place, hop in
      Diagram.Arrow(
        place, place + 1, [hop.mappingModels.isEmpty ? "inferred" : hop.mappingModels.joined(separator: ", ")])
    }
    let diagram = Diagram(
      .chain, "From '\(report.sourceVersion)' to '\(report.destinationVersion)'", names.map { Diagram.Box($0) }, arrows)
    let remarks = report.hops.flatMap(\.remarks).map { remark -> HTML in "<li>\(remark)</li>\n" }
    return diagram.html + (remarks.isEmpty ? "" : "<ul>\(remarks)</ul>")
  }

  private func rows(_ report: StoreMigrationReport) -> HTML {
    func table(_ title: String, _ counts: (StoreMigrationReport.Hop) -> [String: Int]) -> HTML {
      let names = Set(report.hops.flatMap { counts($0).keys }).sorted()
      guard !names.isEmpty else { return "" }
      let rows = names.map { name -> [HTML] in
        [.name(name)] + report.hops.map { hop in counts(hop)[name].map { .number($0) } ?? "–" }
      }
      return .table(
        ["Name"] + report.hops.map { "\($0.sourceVersion) → \($0.destinationVersion)" }, rows, caption: title,
        isNumeric: Set(1...report.hops.count))
    }
    return LibraryPage.phases(report.phases)
      + table("Instances that were read", \.sourceInstancesCountByEntity)
      + table("Instances that were written", \.destinationInstancesCountByEntity)
      + table("Instances of entities that were removed", \.removedInstancesCountByEntity)
      + table("Instances that filters left out", \.filteredInstancesCountByMapping)
      + table("Links by join table", \.linksCountByTable) + table("What policies counted", \.countByCounter)
  }

  private func difference(_ old: LoadedModelVersion, _ new: LoadedModelVersion) -> HTML {
    func named(_ version: LoadedModelVersion) -> NamedModel {
      NamedModel(
        model: version.model, name: version.name, precision: versions?.bundle.isCompiled == true ? .compiled : .source)
    }
    let (before, after) = (named(old), named(new))
    let difference = after.difference(from: before)
    let rows = ChangeRecord.all(difference, from: old.model, to: new.model).map { record in
      record.values(for: .table).map { HTML.name($0.plainText ?? "") }
    }
    return difference.diagram(from: before, to: after).html
      + .table(ChangeRecord.columns(for: .table), rows, caption: difference.summary)
  }

  /// The losses: their name, number and reason.
  private func lost(_ report: StoreMigrationReport) -> [[HTML]] {
    let dropped = report.hops.flatMap { hop in
      (hop.droppedValuesCountByAttribute ?? [:]).sorted { $0.key < $1.key }.map { name, count -> [HTML] in
        [
          .name(name), .number(count),
          "'\(hop.destinationVersion)' does not store the attribute, or it begins empty there",
        ]
      }
        + (hop.droppedLinksCountByRelationship ?? [:]).sorted { $0.key < $1.key }.map { name, count -> [HTML] in
          [.name(name), .number(count), "links that '\(hop.destinationVersion)' cannot hold"]
        }
    }
    return dropped
      + report.leftBehindCountByName.sorted { $0.key < $1.key }.map { name, count -> [HTML] in
        [.name(name), .number(Int(count)), "\(report.uncopiedReasonByName[name] ?? "the new model cannot hold it")"]
      }
      + report.danglingLinksCountByRelationship.sorted { $0.key < $1.key }.map { name, count in
        [.name(name), .number(count), "links to instances that are not there"]
      }
      + report.missingFiles.map { [.name($0), .number(1), "the file of this value is not there"] }
  }

  private func values(_ changes: Result<ValueChanges, MigrationError>) -> HTML {
    let found: ValueChanges
    switch changes {
    case .success(let changes): found = changes
    case .failure(let error):
      return "<p>The store could not be compared with its backup: \(ErrorMessage(command: error).problem).</p>"
    }
    let entities = found.rowCountByEntity.keys.sorted()
    let unchanged = entities.filter { entity in !found.attributes.contains { $0.entity == entity } }
    let tables = entities.filter { !unchanged.contains($0) }.map { entity -> HTML in
      let rows = found.attributes.filter { $0.entity == entity }.map { attribute -> [HTML] in
        let before: HTML =
          attribute.oldName.map { $0 == attribute.name ? "" : " (was \(HTML.name($0)))" } ?? " (new)"
        let examples = attribute.examples.map { example -> HTML in
          let old: HTML = attribute.oldName == nil ? "" : "\(Self.value(example.old)) → "
          return "<li>row \(HTML.number(Int(example.row))): \(old)\(Self.value(example.new))</li>"
        }
        return ["\(HTML.name(attribute.name))\(before)", .number(Int(attribute.count)), "<ul>\(examples)</ul>"]
      }
      return .table(
        ["Attribute", "Rows", "The first of them"], rows,
        caption: "\(entity): \(NumberFormat.counted(Int(found.rowCountByEntity[entity] ?? 0), "row"))", isNumeric: [1])
    }
    var notes: [HTML] = []
    if !unchanged.isEmpty {
      notes.append("<p>Every value is what it was: \(Self.list(unchanged)).</p>")
    }
    for (entity, attributes) in found.evidenceByEntity.sorted(by: { $0.key < $1.key }) {
      notes.append(
        "<p>A policy has made the rows of \(HTML.name(entity)). They are compared in the order of their keys, in which these are as before: "
          + "\(Self.list(attributes)).</p>")
    }
    if !found.newEntities.isEmpty {
      notes.append("<p>The old version has no such entities: \(Self.list(found.newEntities)).</p>")
    }
    if !found.unknownEntities.isEmpty {
      notes.append("<p>It is not known which old row each of these was: \(Self.list(found.unknownEntities)).</p>")
    }
    if found.largeRowsCount > 0 {
      notes.append(
        "<p>Rows with values of more than 1 MiB are not compared here: \(HTML.number(Int(found.largeRowsCount))).</p>")
    }
    return "\(tables)\(notes)"
  }

  private static func list(_ names: [String]) -> HTML {
    let names = names.enumerated().map { place, name -> HTML in "\(place == 0 ? "" : ", ")\(HTML.name(name))" }
    return "\(names)"
  }

  private static func value(_ value: ValueChanges.Value?) -> HTML {
    switch value {
    case nil: "<span class=\"none\">none</span>"
    case .text(let text): "<code>\(HTML.name(text))</code>"
    case .boolean(let isTrue): isTrue ? "yes" : "no"
    // As it is stored: in the reader's form, times that differ by a second would look the same.
    case .date(let seconds): "<code>\(ReferenceDate.exact(seconds) ?? "\(seconds)")</code>"
    }
  }

  private func rest(_ report: StoreMigrationReport) -> HTML {
    let rows = lost(report)
    guard !rows.isEmpty else { return "<p class=\"none\">Everything was carried over.</p>" }
    return .table(["What", "Rows or values", "Why"], rows, caption: "Left behind", isNumeric: [1])
  }
}
