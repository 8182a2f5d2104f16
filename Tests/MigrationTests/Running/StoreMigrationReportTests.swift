import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

@Suite("The report of an app's migration")
struct StoreMigrationReportTests {
  @Test func `The report contains versions, hops, counts and the surroundings of the store`() throws {
    let versions = [NoteVersions.all()[0], NoteVersions.all()[1], [EntityDescription("Note")]]
    var store = try AppStore(
      versions,
      NoteVersions.rows + "; CREATE TABLE own (a); CREATE TABLE odd (a CHECK (1)); ALTER TABLE ZNOTE ADD ZOLDOne")
    store.map(1, "First", ["Note"])
    let result = try store.result()
    let json = StoreMigrationReport(result, toolVersion: "1.2").json
    #expect(json.last == UInt8(ascii: "\n"))
    var report = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    let seconds = try #require(report.removeValue(forKey: "elapsed_seconds") as? Double)
    #expect(seconds > 0 && seconds < 60)
    let phases = try #require(report.removeValue(forKey: "phases") as? [[String: Any]])
    #expect(phases.map { $0["name"] as? String } == ["prepare", "migrate_1", "migrate_2"])
    let measured = phases.compactMap { $0["seconds"] as? Double }.reduce(0, +)
    #expect(measured > 0 && measured <= seconds)
    #expect(phases.allSatisfy { ($0["bytes"] as? Int ?? 0) > 1 << 20 })
    let sizes = ["source_size_bytes", "destination_size_bytes"].map { report.removeValue(forKey: $0) as? Int }
    #expect(sizes == [try Files.bytes(store.path + ".V1-backup").count, try Files.bytes(store.path).count])
    #expect((report.removeValue(forKey: "library_path") as? String)?.hasSuffix(store.path) == true)
    #expect((report.removeValue(forKey: "library_uuid") as? String)?.isEmpty == false)
    let finished = try #require(report.removeValue(forKey: "finished_at_seconds") as? Double)
    #expect(abs(finished - Date().timeIntervalSince1970) < 3600)
    let hop: [String: Any] = [
      "links_count_by_table": [String: Int](), "count_by_counter": [String: Int](),
      "examples_by_counter": [String: [String]](), "source_instances_count_by_entity": ["Note": 3],
      "destination_instances_count_by_entity": ["Note": 3], "removed_instances_count_by_entity": [String: Int](),
      "filtered_instances_count_by_mapping": [String: Int](),
      "sources_without_destination_count_by_mapping": [String: Int](),
    ]
    let first: [String: Any] = [
      "source_version": "V1", "destination_version": "V2", "method": "mapping", "mapping_models": ["First"],
      "remarks": [String](),
    ]
    let second: [String: Any] = [
      "source_version": "V2", "destination_version": "V3", "method": "inference", "mapping_models": [String](),
      "remarks": ["'Note.title': the attribute is removed with all its values"],
    ]
    let expected: [String: Any] = [
      "format_version": 1, "tool_version": "1.2", "source_version": "V1", "destination_version": "V3",
      "hops": [hop.merging(first) { $1 }, hop.merging(second) { $1 }], "kept_tables": ["own"],
      "left_behind_count_by_name": ["ZNOTE.ZOLDOne": 0], "uncopied_reason_by_name": ["odd": "expression"],
      "missing_files_count": 0, "missing_files": [String](), "rejects_count": 0,
      "dangling_links_count_by_relationship": [String: Int](), "other_names_count": 0,
      "backup_file": "App.sqlite.V1-backup", "options": [String](),
    ]
    #expect(NSDictionary(dictionary: report) == NSDictionary(dictionary: expected))
  }
}
