import CoreDataExpressions
import Foundation
import JSONPresets
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import SystemC
import TerminalOutput
import TrackLibrary

/// Migrates the libraries of a batch that it is told of on standard input, one after the other.
///
/// It runs in a process of its own, so that a library that brings it down is one failed library.
struct BatchWorker {
  let options: MigrationOptions
  /// The folder for results that do not replace their libraries.
  let outputFolder: String?
  /// The path of the file that collects the lines of the batch.
  let resultsPath: String?
  /// Whether the new libraries are hashed.
  let hashes: Bool

  /// Answers each path on standard input, which ends in NUL, with a line on standard output.
  func run() throws {
    let cancellation = SignalCancellation.listen()
    let trackOptions = try options.trackOptions
    var input: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !cancellation.isCancelled {
      guard let end = input.firstIndex(of: 0) else {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 { input += buffer[..<count] }
        guard count > 0 || count < 0 && errno == EINTR else { return }
        continue
      }
      let path = String(pathBytes: input[..<end])
      input.removeSubrange(...end)
      let line = result(of: path, trackOptions, cancellation).line
      do {
        let output = StandardOutput()
        try output.write(utf8: line)
        try output.flush()
      } catch is BrokenPipe {
        // The batch is gone, and no other program asks.
        return BrokenPipe.endProcess()
      }
    }
  }

  private func result(
    of path: String, _ trackOptions: TrackMigrationOptions, _ cancellation: MigrationCancellation
  ) -> BatchResult {
    let started = ContinuousClock.now
    var result = BatchResult(path: path)
    do {
      try migrate(path, trackOptions, cancellation, &result)
      if hashes, let output = result.output {
        result.sha256 = HexadecimalText.encode(try FileSystem.sha256(of: String(spellingOfPathBytes: output)))
      }
    } catch let error as MigrationError {
      result.fail(error)
    } catch {
      result.fail(MigrationError(unforeseen: error))
    }
    result.elapsedSeconds = ((ContinuousClock.now - started).seconds * 1e6).rounded() / 1e6
    result.finishedAtSeconds = (Date().timeIntervalSince1970 * 1000).rounded() / 1000
    return result
  }

  private func migrate(
    _ path: String, _ trackOptions: TrackMigrationOptions, _ cancellation: MigrationCancellation,
    _ result: inout BatchResult
  ) throws {
    var settings = options.settings(isQuiet: true, cancellation)
    var remarks: [String] = []
    settings.onRemark = { remarks.append($0.spellingPathBytes) }
    defer { if !remarks.isEmpty { result.warnings = remarks } }
    result.options = settings.options.isEmpty ? nil : settings.options
    // Many libraries are at work at a time.
    settings.threadCount = 1
    // The results of a batch are written by another process.
    let app = try options.models.model.map { model in
      try AppMigration(
        store: path, model: model, options: options.models, settings: settings, trackOptions: trackOptions)
    }
    var files = RunFiles()
    files.add(path, as: .argument("library"), outputFolder == nil ? .replacesStore : .readsStore)
    if let resultsPath { files.add(resultsPath, as: .option("--results"), .appends) }
    if let outputFolder {
      let output = try BatchOutput(of: path, in: outputFolder)
      settings.choices = try AppMigration.choices(options.models, trackOptions, app?.migration.mappings ?? [])
      if output.exists {
        let origin: ResultOrigin
        (result.libraryUuid, origin) = try output.requireResult(of: settings) { path in
          try isCurrent(path, trackOptions)
        }
        result.options = origin.options.flatMap { $0.isEmpty ? nil : $0 }
        // A worker that was killed just after publishing it has left another name of it.
        StagingFile.removeSecondName(ofResultAt: output.path)
        (result.status, result.output) = (.current, output.path.spellingPathBytes)
        return
      }
      try output.makeFolder()
      settings.outputPath = output.path
      settings.reportPath = output.statisticsPath
      settings.sourceFiles = try SourceFile.all(ofStoreAt: path)
      files.add(output.path, as: .argument("result"), .createsStore)
    }
    try files.requireNoClash()
    if var app {
      (app.migration.outputPath, app.migration.reportPath) = (settings.outputPath, settings.reportPath)
      (app.migration.sourceFiles, app.migration.choices) = (settings.sourceFiles, settings.choices)
      try migrateStore(app, &result)
    } else {
      try migrateTracks(path, settings, trackOptions, &result)
    }
    if result.status == .current, let output = settings.outputPath { result.takeUnwritten(output) }
  }

  private func isCurrent(_ path: String, _ trackOptions: TrackMigrationOptions) throws -> Bool {
    guard let model = options.models.model else { return try TrackLibraryReader(path: path).isCurrent() }
    let app = try AppMigration(
      store: path, model: model, options: options.models, settings: MigrationSettings(), trackOptions: trackOptions)
    return try app.migration.plan().steps.isEmpty
  }

  private func migrateTracks(
    _ path: String, _ settings: MigrationSettings, _ trackOptions: TrackMigrationOptions, _ result: inout BatchResult
  ) throws {
    var migration = LibraryMigration(path: path)
    migration.settings = settings
    migration.discardsUnmatchedJSON = options.force
    migration.trackOptions = trackOptions
    switch try migration.run() {
    case .alreadyCurrent(let version):
      result.status = .current
      result.destinationVersion = version.rawValue
      result.takeCurrent(path)
    case .migrated(let migrated):
      result.take(migrated.result)
      result.facts = migrated.report.facts.brief
      result.warnings = (result.warnings ?? []) + MigrationSummary.warnings(migrated)
      if result.warnings?.isEmpty == true { result.warnings = nil }
    }
  }

  private func migrateStore(_ app: AppMigration, _ result: inout BatchResult) throws {
    switch try app.migration.run() {
    case .alreadyCurrent(let version):
      (result.status, result.destinationVersion) = (.current, version.name)
      result.takeCurrent(app.migration.path)
    case .migrated(let migrated):
      result.take(migrated)
      result.facts[.instances] = migrated.steps.last?.statistics.destinationInstanceCounts.values.reduce(0, +)
    }
  }
}

extension BatchResult {
  /// Takes what is said of a library that has the new version already: by the statistics beside it, if they are its own.
  fileprivate mutating func takeCurrent(_ path: String) {
    libraryUuid = try? StoreReader(path: path).metadata.uuid
    output = path.spellingPathBytes
    let origin = try? ResultOrigin.recorded(inStatisticsAt: "\(FileSystem.resolved(path) ?? path).migration.json")
    // Those of this run have done nothing.
    let own = origin?.libraryUUID == libraryUuid ? origin?.options ?? [] : []
    options = own.isEmpty ? nil : own
  }

  /// Says that a library which has the new version already was not copied to the folder of the results.
  fileprivate mutating func takeUnwritten(_ path: String) {
    output = nil
    warnings = ["'\(path)' was not written, because the library has the new version already".spellingPathBytes]
  }

  /// Takes the result of the migration of any store.
  fileprivate mutating func take(_ migrated: StoreMigration.Result) {
    status = .migrated
    libraryUuid = migrated.origin.libraryUUID
    (sourceVersion, destinationVersion) = (migrated.plan.source.name, migrated.plan.destination.name)
    (sourceSizeBytes, destinationSizeBytes) = (migrated.sourceSize, migrated.destinationSize)
    facts[.rejects] = migrated.rejectsCount
    output = migrated.path.spellingPathBytes
    backup = migrated.backupPath?.spellingPathBytes
    rejects = migrated.rejectsPath?.spellingPathBytes
    statistics = migrated.reportPath?.spellingPathBytes
    let report = StoreMigrationReport(migrated)
    if !report.leftBehindCountByName.isEmpty { leftBehindCountByName = report.leftBehindCountByName }
    if !report.uncopiedReasonByName.isEmpty { uncopiedReasonByName = report.uncopiedReasonByName }
    if !report.danglingLinksCountByRelationship.isEmpty {
      danglingLinksCountByRelationship = report.danglingLinksCountByRelationship
    }
    let doubts =
      migrated.warnings.map { ErrorMessage(command: $0).problem.spellingPathBytes }
      + migrated.cautions.map { $0.worded(for: RunningCommand.reader) }
    warnings = doubts.isEmpty ? nil : doubts
  }
}

/// The path of the result of one library of a batch.
///
/// Below the folder it has the path of the library, as with `cp --parents`. So no two results have one name, and every
/// shard and every attempt gives the same library the same one.
private struct BatchOutput {
  let path: String
  private let library: String

  init(of library: String, in folder: String) throws {
    self.library = library
    // Not by characters: a slash and a combining mark are one character.
    let slash = UInt8(ascii: "/")
    let parts = library.utf8.split(separator: slash).map { String(Substring($0)) }.filter { $0 != "." }
    let isPlain = library.utf8.first != slash && !parts.contains("..")
    guard isPlain || FileSystem.resolved(library) != nil else { throw FileSystem.failure(.unreadable, library) }
    let name = isPlain ? parts.joined(separator: "/") : String((FileSystem.resolved(library) ?? library).dropFirst())
    path = "\(folder)/\(name)"
  }

  var exists: Bool { FileSystem.exists(path) }

  /// An app's store has no statistics beside it otherwise.
  var statisticsPath: String { "\(path).migration.json" }

  func makeFolder() throws {
    try FileSystem.makeFolders(of: path, like: FileSystem.split(FileSystem.resolved(library) ?? library).folder)
  }

  /// Makes sure that what is there is the result of this library as it is now, as these settings would make it.
  ///
  /// - Returns: The library's UUID, and what is said of the run that made the result.
  func requireResult(
    of settings: MigrationSettings, _ isCurrent: (String) throws -> Bool
  ) throws -> (String, ResultOrigin) {
    var error = MigrationError(.outputExists, path: path)
    let uuid = try StoreReader(path: library).metadata.uuid
    guard try StoreReader(path: path).metadata.uuid == uuid, try isCurrent(path) else {
      error.remarks = ["it is not the result of '\(library)'"]
      throw error
    }
    error.advice = "Remove it to migrate that library again."
    guard let origin = try ResultOrigin.recorded(inStatisticsAt: statisticsPath), let files = origin.sourceFiles,
      let made = origin.resultFile
    else {
      error.remarks = ["'\(statisticsPath)' does not say what it was made from"]
      throw error
    }
    guard try SourceFile.areUnchanged(files, ofStoreAt: library) else {
      error.remarks = ["'\(library)' has changed since"]
      throw error
    }
    guard try SourceFile.areUnchanged([made], ofStoreAt: path, publishedWith: statisticsPath) else {
      error.remarks = ["it is not what was made of '\(library)' any more: it was changed or replaced since"]
      error.advice = "Move it away to migrate that library again."
      throw error
    }
    if let difference = origin.difference(from: settings.options, settings.choices ?? "") {
      error.remarks = [difference]
      error.advice = "Remove it to migrate that library with these options."
      throw error
    }
    return (uuid, origin)
  }
}
