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

  @Test(
    arguments: [
      "\n\r\n\nTitle;Artist\nA, B;\"X;Y\"\n", ";;\n\"\";\"\";\nTitle;Artist\nA, B;\"X;Y\"",
      "\u{FEFF}sep=;\r\nTitle;Artist\r\nA, B;\"X;Y\"\r\n", "\"sep=;\"\n\nTitle;Artist\nA, B;\"X;Y\"\n",
      "Title;Artist\rA, B;\"X;Y\"\r", "\rTitle;Artist\rA, B;\"X;Y\"",
    ], [1 << 16, 1])
  func `The names of columns are found below what stands before them`(table: String, piece: Int) throws {
    let read = try FeedLines(table, piece: piece)
    #expect(read.problem == nil)
    #expect(read.lines == [#"{"title":"A, B","artistName":"X;Y"}"#])
  }

  @Test func `A line feed in a value of a table with carriage returns is part of the value`() throws {
    let read = try FeedLines("Title,Artist\r\"A\nB\",X\rC,Y\r")
    #expect(read.lines == [#"{"title":"A\u000aB","artistName":"X"}"#, #"{"title":"C","artistName":"Y"}"#])
  }

  @Test(
    arguments: [
      // A number of which it is not clear what it means stays one.
      ("Date", ["44307", "2021", "1.5", "0"], ["44307", "2021", "\"1.5\"", "0"]),
      (
        "Date", ["44307", "44308.5", "36526"],
        ["\"2021-04-21T00:00:00\"", "\"2021-04-22T12:00:00\"", "\"2000-01-01T00:00:00\""]
      ),
      ("Timestamp", ["44307", "44308"], ["44307", "44308"]), ("Time", ["1618982400"], ["1618982400"]),
    ] as [(String, [String], [String])])
  func `The days of a spreadsheet are dates where the column says so`(
    name: String, values: [String], times: [String]
  ) throws {
    let read = try FeedLines("Title,Artist,\(name)\n" + values.map { "A,X,\($0)\n" }.joined())
    #expect(read.lines == times.map { #"{"title":"A","artistName":"X","lastPlayedAt":\#($0)}"# })
  }

  @Test func `What is no track says so`() throws {
    let read = try FeedLines(
      "Kind,Title,Artist\nTrack,A,X\nAlbums,B,X\nMusic Video,C,X\npodcast episode,D,X\nSingle,E,X\nPlaylist,F,X\n")
    let kinds = ["", #""type":"album","#, #""type":"video","#, #""type":"episode","#, "", #""type":"playlist","#]
    #expect(read.lines == zip(kinds, "ABCDEF").map { #"{\#($0)"title":"\#($1)","artistName":"X"}"# })
    // The playlist of a track is no playlist.
    let tracks = try FeedLines("Track name,Artist name,Playlist name,Type\nA,X,Mine,Playlist\n,X,Mine,Playlist\n")
    #expect(tracks.lines == [#"{"title":"A","artistName":"X"}"#, #"{"type":"playlist","artistName":"X"}"#])
  }

  @Test func `A number of tracks means albums, unless the rows are tracks of them`() throws {
    let problem = "its rows are albums, whose tracks 'Total Tracks' counts, and not tracks"
    #expect(try FeedLines("Name,Artist,Total Tracks\nA,X,9\n").problem == problem)
    for column in ["Album", "ISRC", "Track Number", "Type"] {
      let read = try FeedLines("Name,Artist,Total Tracks,\(column)\nA,X,9,1\n")
      #expect(read.lines == [#"{"title":"A","artistName":"X"}"#], "\(column)")
    }
  }

  @Test(
    arguments: [
      (#"["Ann","Bob"]"#, #""artists":["Ann","Bob"]"#), (#"['Ann', "Bob's"]"#, #""artists":["Ann","Bob's"]"#),
      (#"['B\'s', "A\\"]"#, #""artists":["B's","A\\"]"#), ("[ ]", #""artists":[]"#),
      (#"["\u00e9\ud83c\udfb5", '\x41\U0001f3b5']"#, #""artists":["é🎵","A🎵"]"#),
      // What is no list is a name.
      ("[Ann]", #""artistName":"[Ann]""#), ("['Ann', None]", #""artistName":"['Ann', None]""#),
      ("['Ann',]", #""artistName":"['Ann',]""#), ("['Ann' 'Bob']", #""artistName":"['Ann' 'Bob']""#),
      ("['Ann]", #""artistName":"['Ann]""#), (#"["\ud83c"]"#, #""artistName":"[\"\\ud83c\"]""#),
    ])
  func `A list of artists in a value is one`(value: String, member: String) throws {
    let quoted = "\"" + value.replacing("\"", with: "\"\"") + "\""
    #expect(try FeedLines("Title,Artists\nA,\(quoted)\n").lines == [#"{"title":"A",\#(member)}"#])
    let named = try FeedLines(Array("Lied,Artists\nA,\(quoted)\n".utf8), format: .csv, keepsColumnNames: true)
    let kept = member.replacing("artistName", with: "Artists").replacing("artists", with: "Artists")
    #expect(named.lines == [#"{"Lied":"A",\#(kept)}"#])
  }

  @Test func `Text with one column is named as such`() throws {
    #expect(try FeedLines("Title\nA\nB\n").problem == "it is text with one column, 'Title'")
    // JSON, and what might be, is not.
    #expect(try FeedLines("12\n\"x\"\n").lines == ["12", "\"x\""])
    #expect(try FeedLines("x\n{\"a\":1}\n").lines == ["x", "{\"a\":1}"])
  }

  @Test func `A table in Latin-1 is named with a program that converts it`() throws {
    let table: [UInt8] = Array("Title,Artist\nCaf".utf8) + [0xE9] + Array(",X\n".utf8)
    let read = try FeedLines(table, named: "a b.csv")
    #expect(read.problem == "its text is not UTF-8, but likely Windows-1252 (Latin-1)")
    #expect(read.advice?.contains("iconv -f WINDOWS-1252 -t UTF-8 '") == true)
    #expect(read.advice?.contains("a b.csv', with '-' as the feed") == true)
    // One damaged row is no reason to refuse the others.
    #expect(try FeedLines(table + Array("Café,Y\n".utf8)).lines.count == 2)
    #expect(try FeedLines("Title,Artist\nCafé \u{FFFD},X\n").lines.count == 1)
  }

  @Test func `A quotation mark that is not closed is an error`() throws {
    let read = try FeedLines("title,artist\nT,A\n\"U,B\nV,C\n")
    #expect(read.problem == "row 3 has a quotation mark that is not closed")
  }

  @Test func `A column of lengths is not called times`() throws {
    let table = "Name,Artist,Time\nT,A,3:45\nU,A,12:01\n"
    #expect(try FeedLines(table).note == "title from 'Name', artistName from 'Artist', and nothing from 'Time'")
    let times = "Name,Artist,Time\nT,A,3:45\nU,A,2024-05-01 10:00\n"
    #expect(try FeedLines(times).note == "title from 'Name', artistName from 'Artist', lastPlayedAt from 'Time'")
  }

  @Test func `The numbers of tracks are not their titles`() throws {
    let read = try FeedLines("Name,Artist,Track\nNight,A,3\nDay,A,4/12\n")
    #expect(read.lines.first == #"{"title":"Night","artistName":"A"}"#)
    // Without another column, they may be.
    #expect(try FeedLines("Track,Artist\n1979,A\n").lines == [#"{"title":"1979","artistName":"A"}"#])
    #expect(try FeedLines("Name,Artist,Track\nList,A,Night\n").lines == [#"{"artistName":"A","title":"Night"}"#])
  }
}
