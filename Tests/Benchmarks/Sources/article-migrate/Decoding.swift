import BenchmarkSQLite
import Foundation

/// Only what the article's policy does without Core Data: decodes the JSON of every track.
func decodeAll(_ path: String) -> Int {
  var (database, statement): (OpaquePointer?, OpaquePointer?)
  defer {
    sqlite3_finalize(statement)
    sqlite3_close(database)
  }
  guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
    sqlite3_prepare_v2(database, "SELECT ZJSON FROM ZTRACK", -1, &statement, nil) == SQLITE_OK
  else { return 0 }
  let decoder = JSONDecoder()
  var count = 0
  while sqlite3_step(statement) == SQLITE_ROW {
    guard let text = sqlite3_column_text(statement, 0) else { continue }
    let jsonData = Data(String(cString: text).utf8)
    count += (try? decoder.decode(Song.self, from: jsonData))?.artists.count ?? 0
  }
  return count
}
