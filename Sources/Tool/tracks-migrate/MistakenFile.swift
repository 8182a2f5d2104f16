import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput

/// Files that people name where a library belongs, with the command or the option that takes them.
enum MistakenFile {
  /// Returns what to do instead; `nil` where the error's own advice is as good.
  static func advice(for error: MigrationError) -> Advice? {
    guard let path = error.subject.path else { return nil }
    if [.missing, .missingModel].contains(error.code) {
      return pattern(path) ?? exchanged(path) ?? address(path) ?? neighbor(of: path)
    }
    if error.code == .noBackup { return backup(path) ?? (FileSystem.exists(path) ? nil : neighbor(of: path)) }
    if error.code == .unusableModel, MistakenWords.isDatabase(path), RunningCommand.type is Rehearse.Type {
      return "It is a store: name the app's model, and a folder with stores with: --stores FOLDER"
    }
    if error.code == .isDirectory { return folder(path) }
    guard error.code == .notADatabase else { return nil }
    // Packed feeds are read as they are.
    guard error.advice == nil else { return isNamedAsPackedFeed(path) ? feed(path) : nil }
    if isAboutModels, isNamedAsFeed(path) {
      return "Name a model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, Swift source with @Model, or a store."
    }
    return model(path) ?? statement(path) ?? feed(path) ?? other(path)
  }

  /// Whether the command takes a model, for which a store may stand.
  private static var isAboutModels: Bool {
    let type = RunningCommand.type
    return type is ShowModel.Type || type is HashModels.Type || type is DiffModels.Type || type is FreezeModel.Type
      || type is CompileModel.Type || type is GuardModels.Type || type is LintModels.Type
  }

  /// A pattern that matches nothing, which shells pass on as it is.
  private static func pattern(_ path: String) -> Advice? {
    guard path.contains(where: { "*?[".contains($0) }) else { return nil }
    return "No file matches this pattern, so the shell has left it as it is. Check the folder and the ending."
  }

  /// A word that stands where the library belongs, while the library stands after it.
  private static func exchanged(_ path: String) -> Advice? {
    guard RunningCommand.firstPath.map({ FileSystem.areSame($0, path) }) == true else { return nil }
    let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("-") }
    let rest = words.drop { !FileSystem.areSame($0, path) }.dropFirst()
    if RunningCommand.type is Import.Type {
      guard let feed = rest.first, FileSystem.exists(feed), !MistakenWords.isDatabase(feed) else { return nil }
      let words = [feed, path].map(ErrorMessage.shellPath).joined(separator: " ")
      return "The feed comes first, and then the library: tracks-migrate import \(words)"
    }
    return rest.first(where: MistakenWords.isDatabase).map { "Did you mean '\($0)'? The library comes first." }
  }

  /// Something that other programs take for a file.
  private static func address(_ path: String) -> Advice? {
    if path == "-" { return "A library is not read from standard input: write it to a file first." }
    guard path.hasPrefix("file:") || path.hasPrefix("http://") || path.hasPrefix("https://") else { return nil }
    return path.hasPrefix("file:") ? "Name its path, without 'file:'." : "Download it, and name the file."
  }

  /// A backup, in place of the library that it is of.
  private static func backup(_ path: String) -> Advice? {
    guard let companion = StoreCompanion(ofFileAt: path), companion.role == .backup, let library = companion.library
    else { return nil }
    return "It is a backup itself: name the library, as in: tracks-migrate restore \(ErrorMessage.shellPath(library))"
  }

  /// A file whose name is nearly that of one that does not exist, in the same folder.
  private static func neighbor(of path: String) -> Advice? {
    let (folder, name) = FileSystem.split(path)
    let names = FileSystem.names(in: folder)?.filter { !$0.hasPrefix(".") }.sorted()
    return nearest(to: name, in: names ?? []).map { "Did you mean '\(FileSystem.sibling(of: path, named: $0))'?" }
  }

  /// A folder with stores in it, or one that is a model.
  private static func folder(_ path: String) -> Advice? {
    if let advice = model(path) { return advice }
    let names = (FileSystem.names(in: path) ?? []).filter { name in
      !name.hasPrefix(".") && [".sqlite", ".db", ".store"].contains { name.hasSuffix($0) }
    }.sorted()
    let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let first = names.first else { return nil }
    if RunningCommand.type is MigrateBatch.Type {
      let ending = String(first.drop { $0 != "." })
      return
        "It has \(names.count.counting("store")): name them, as in: tracks-migrate batch \(ErrorMessage.shellPath(folder))/*\(ending)"
    }
    return names.count == 1
      ? "Did you mean '\(folder)/\(first)'?"
      : "It has \(names.count.counting("store")), such as '\(folder)/\(first)': name one."
  }

  private static func model(_ path: String) -> Advice? {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    func ends(_ endings: String...) -> Bool { endings.contains { path.hasSuffix($0) } }
    let word = ErrorMessage.shellPath(path)
    if ends(".xcdatamodeld", ".xcdatamodel", ".momd", ".mom") {
      if RunningCommand.type is ExplainModels.Type,
        CommandLine.arguments.dropFirst().contains(where: MistakenWords.isDatabase)
      {
        return "It is a model: name the store first, and then the model."
      }
      return "It is a model: name a store.\(if: .model, " The model is named with: \(.model) \(word)")"
    }
    guard ends(".xcmappingmodel", ".cdm") else { return nil }
    return
      "It is a mapping model: name a store.\(if: .mapping, " The mapping model is named with: \(.mapping) \(word)")"
  }

  /// A file that a migration writes beside a library.
  private static func statement(_ path: String) -> Advice? {
    for suffix in [".migration.json", ".report.html"] where path.hasSuffix(suffix) && path.count > suffix.count {
      let library = ErrorMessage.shellPath(String(path.dropLast(suffix.count)))
      return suffix == ".migration.json"
        ? "It is the statistics of a migration; show them with: tracks-migrate stats \(library)"
        : "It is a page about a library, to look at in a browser."
    }
    return nil
  }

  /// Text with tracks or rows: a feed, or SQL.
  private static func feed(_ path: String) -> Advice? {
    guard let head = try? FileSystem.beginning(ofInput: path, count: 4096) else { return nil }
    let text = String(decoding: head, as: UTF8.self)
    let word = ErrorMessage.shellPath(path)
    let sql = ["CREATE TABLE ", "BEGIN TRANSACTION;", "INSERT INTO ", "PRAGMA "]
    if path.lowercased().hasSuffix(".sql") || sql.contains(where: { text.hasPrefix($0) }) {
      return "It is SQL: make a database of it with: sqlite3 New.sqlite < \(word) (tracks as JSON or CSV are read with "
        + "'tracks-migrate import')"
    }
    let isNamed = isNamedAsFeed(path) || isNamedAsPackedFeed(path)
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
    guard isNamed || first == "{" || first == "[" else { return nil }
    return "If it is a feed of tracks, import it with: tracks-migrate import \(word) New.sqlite"
  }

  /// A file of another kind, such as a picture or a page of the web, in which there are no rows to salvage.
  private static func other(_ path: String) -> Advice? {
    guard let head = try? FileSystem.beginning(ofInput: path, count: FileForm.headSize) else { return nil }
    // Each page of a database has bytes that no text has. What 'salvage' refuses needs no advice to salvage it.
    let isOther = FileForm(head).map { $0 != .sqlite } ?? head.allSatisfy { $0 >= 0x09 }
    guard isOther || RunningCommand.type is Salvage.Type else { return nil }
    return "Name the file that the app wrote. If this is the file, restore it from a backup."
  }

  private static func isNamedAsFeed(_ path: String) -> Bool {
    [".csv", ".tsv", ".json", ".ndjson", ".jsonl"].contains { path.lowercased().hasSuffix($0) }
  }

  private static func isNamedAsPackedFeed(_ path: String) -> Bool {
    [".gz", ".zip"].contains { path.lowercased().hasSuffix($0) && isNamedAsFeed(String(path.dropLast($0.count))) }
  }
}
