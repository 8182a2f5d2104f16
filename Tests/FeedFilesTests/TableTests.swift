import FeedFiles
import Testing

@Suite("Tables as feeds")
struct TableTests {
  @Test(arguments: [1 << 16, 1, 3])
  func `Rows become tracks by the names of their columns`(piece: Int) throws {
    let table = """
      Track Name,Artist Name(s),Album,Played At,Cover\r
      "He said ""hi"", twice",Ann,,"21 Apr 2021, 05:30",\r
      1999,"Bob
      Ltd.",x,1619000000,http://i/1\r
      \r
      ,Cé\\,,2021-04-21 05:30:00 UTC,
      short,row
      Last,"Eve"x,,,
      Last,Eve,,yesterday,
      """
    let read = try FeedLines(table, piece: piece)
    #expect(read.problem == nil)
    #expect(
      read.lines == [
        #"{"title":"He said \"hi\", twice","artistName":"Ann","lastPlayedAt":"2021-04-21T05:30"}"#,
        #"{"title":"1999","artistName":"Bob\u000aLtd.","lastPlayedAt":1619000000,"imageURL":"http://i/1"}"#,
        #"{"artistName":"Cé\\","lastPlayedAt":"2021-04-21 05:30:00"}"#,
        #"{"2 values instead of 5":["short","row"]}"#,
        #"{"text behind a quotation mark":["Last","Evex","","",""]}"#,
        #"{"title":"Last","artistName":"Eve","played_at":"yesterday"}"#,
      ])
    #expect(
      read.note == "title from 'Track Name', artistName from 'Artist Name(s)', lastPlayedAt from 'Played At', "
        + "imageURL from 'Cover', and nothing from 'Album'")
  }

  @Test(arguments: ["\t", ";", "|"])
  func `Other separators are found`(separator: String) throws {
    let read = try FeedLines("artist\(separator)title\nA, B\(separator)T\n")
    #expect(read.lines == [#"{"artistName":"A, B","title":"T"}"#])
  }

  @Test func `Columns keep their names where paths refer to them`() throws {
    let read = try FeedLines(Array("Lied,Band\nT,A\nU,\n".utf8), format: .csv, keepsColumnNames: true)
    #expect(read.lines == [#"{"Lied":"T","Band":"A"}"#, #"{"Lied":"U"}"#])
  }

  @Test func `A table without known columns is refused with their names`() throws {
    let problem = "none of its columns, 'Lied', 'Gruppe', is known for a track's title and artist"
    #expect(try FeedLines("Lied,Gruppe\nT,A\n", format: .csv).problem == problem)
    #expect(try FeedLines("Lied,Gruppe\nT,A\n").problem == problem)
    // Rows of different lengths, and a single one, are no table unless the option says so.
    #expect(try FeedLines("Lied,Gruppe\nT\n").lines == ["Lied,Gruppe", "T"])
    #expect(try FeedLines("Lied,Gruppe\n").lines == ["Lied,Gruppe"])
  }

  @Test func `A quotation mark that is not closed is an error`() throws {
    let read = try FeedLines("title,artist\nT,A\n\"U,B\nV,C\n")
    #expect(read.problem == "row 3 has a quotation mark that is not closed")
  }
}
