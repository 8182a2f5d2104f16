import Foundation
import TestSupport
import Testing

/// Foundation cannot name such files, so shell scripts create and inspect them.
@Suite("Paths that are not UTF-8")
final class PathByteTests {
  let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library("plain.sqlite")
  }

  deinit {
    _ = try? CommandRunner.shell("rm -rf ./*", in: folder.path).run()
  }

  /// Runs a script in a folder with two libraries.
  ///
  /// One name is not UTF-8, and the other is what that name would become as text.
  private func run(_ script: String) throws -> CommandResult {
    let start = #"""
      set -e
      folder=$(printf 'f\377\351'); mkdir "$folder"; cd "$folder"
      L=$(printf 'L\351.sqlite'); R=$(printf 'L\357\277\275.sqlite')
      cp "$1" "$L"; cp "$1" "$R"

      """#
    let result = try CommandRunner.shell(start + script, library, in: folder.path).run()
    #expect(result.status == 0, "\(result)")
    return result
  }

  @Test func `Every command finds the files that such paths name`() throws {
    let result = try run(
      #"""
      "$TOOL" "$L" --quiet
      cmp "$R" "$1"
      test -f "$(printf 'L\351.sqlite.v1-backup')"
      cmp "$(printf 'L\351.sqlite.v1-backup')" "$1"
      "$TOOL" artists "$L" --format csv
      "$TOOL" tracks "$L" --format csv
      "$TOOL" stats "$L" --format csv --output "$(printf 's\303.csv')"
      test -s "$(printf 's\303.csv')"
      "$TOOL" verify "$L" --quiet
      "$TOOL" restore "$L" --quiet
      cmp "$L" "$1"
      "$TOOL" "$L" --output "$(printf '../N\303.sqlite')" --stats "$(printf 'm\303.json')" --quiet
      "$TOOL" verify "$(printf '../N\303.sqlite')" --source "$L" --quiet
      test -s "$(printf 'm\303.json')"
      "$TOOL" sample 3 "$(printf 'S\377.sqlite')" 2>/dev/null
      test -s "$(printf 'S\377.sqlite')"
      cmp "$R" "$1"
      """#)
    #expect(result.stdout.contains("Björk,bj,3,"))
    #expect(result.stdout.contains("Hyperballad,"))
    #expect(result.stderr == "")
  }

  @Test func `Folders and link targets can have such paths`() throws {
    let result = try run(
      #"""
      ln -s "$L" link.sqlite; ln -s "$PWD" ../way
      "$TOOL" link.sqlite --quiet
      test -h link.sqlite
      test -f "$L.v1-backup"
      "$TOOL" artists ../way/link.sqlite --format csv
      "$TOOL" verify "$PWD/link.sqlite" --quiet
      "$TOOL" restore ../way/link.sqlite --quiet
      cmp "$L" "$1"; cmp "$R" "$1"
      """#)
    #expect(result.stdout.contains("Björk,bj,3,"))
  }

  @Test func `Models and apps' stores can have such paths`() throws {
    let result = try run(
      #"""
      M=$(printf 'M\351.xcdatamodeld'); A=$(printf 'A\351.sqlite')
      cp -r "\#(SampleStore.data("Notes/Notes.xcdatamodeld"))" "$M"
      cp -r "\#(SampleStore.data("Notes"))"/*.xcmappingmodel .
      cp "\#(SampleStore.data("Notes/library-v2.sqlite"))" "$A"
      "$TOOL" models show "$M:Notes 3" --as xcdatamodel --output "$(printf 'X\351.xcdatamodel')"
      "$TOOL" models diff "$M:Notes 3" "$(printf 'X\351.xcdatamodel')" --format csv
      "$TOOL" models lint "$M" >/dev/null
      "$TOOL" models hash "$M" --format ndjson | head -n 1
      "$TOOL" "$A" --model "$M" --quiet
      "$TOOL" info "$A" --model "$M" --format json
      "$TOOL" restore "$A" --quiet
      "$TOOL" "$A" --model "$M" --mapping "$PWD" --quiet
      """#)
    #expect(result.stdout.contains(#"{"model":"M\\xE9.xcdatamodeld:Notes 4""#))
    #expect(result.stdout.contains(#""library":"A\\xE9.sqlite""#))
    #expect(result.stdout.contains(#""model_version":"Notes 4""#))
  }

  @Test func `Such paths are shown so that no two look alike`() throws {
    let result = try run(
      #"""
      "$TOOL" "$L" 2>&1 | grep -e Backup -e Migrated
      grep _file "$L.migration.json"
      "$TOOL" "$(printf 'x\377.sqlite')" 2>&1 || true
      "$TOOL" 'x\xFF.sqlite' 2>&1 || true
      "$TOOL" artists "$(printf 'O\351.sqlite')" 2>&1 || true
      cp "$1" "$(printf "it's\351.sqlite")"
      "$TOOL" artists "$(printf "it's\351.sqlite")" 2>&1 || true
      """#)
    let lines = result.lines
    #expect(lines[0].hasPrefix(#"Migrated 'L\xE9.sqlite' from v1 to v2"#))
    #expect(lines[1] == #"Backup: L\xE9.sqlite.v1-backup"#)
    #expect(lines[2] == #"  "backup_file" : "L\\xE9.sqlite.v1-backup","#)
    #expect(lines[3] == #"  "rejects_file" : "L\\xE9.sqlite.rejects.ndjson","#)
    #expect(lines[4].contains(#"there is no file 'x\xFF.sqlite'."#))
    #expect(lines[5].contains(#"there is no file 'x\\xFF.sqlite'."#))
    // The path is quoted as shells quote it themselves.
    #expect(lines[7].hasSuffix(#"Migrate it first, with: tracks-migrate $'it\047s\351.sqlite'"#))
    #expect(String(validating: result.output, as: UTF8.self) != nil)
  }

  @Test(arguments: ["--name", "--id", "--track", "--where", "--sort"])
  func `Arguments that are not paths must be valid text`(option: String) throws {
    let script = #""$TOOL" artists "$1" \#(option) "$(printf 'a\351')""#
    let result = try CommandRunner.shell(script, library, in: folder.path).run()
    #expect(result.status == 64)
    #expect(
      result.stderr.hasPrefix(#"tracks-migrate: error: the value 'a\xE9' is invalid for '\#(option) <"#), "\(result)")
    #expect(result.stderr.contains("it is not valid UTF-8.\n"))
  }

  @Test func `A name with the scalar of an escaped byte keeps that scalar`() throws {
    try successfully(library, "--quiet")
    // U+10FFE9 stands for a byte in a path. In a name it stands for itself.
    try Database.run("UPDATE ZARTIST SET ZNAME = 'x\u{10FFE9}' WHERE Z_PK = 1", in: library)
    let result = try successfully("artists", library, "--name", "\u{10FFE9}", "--format", "ndjson")
    #expect(result.stdout.contains("\"name\":\"x\u{10FFE9}\""))
  }
}
