import Testing

@testable import CoreDataExpressions

@Suite("Cutting a format into tokens")
struct LexerTests {
  @Test(
    arguments: [
      ("", []),
      (" \t\n\r ", []),
      ("title", ["key title"]),
      ("_x9$y", ["key _x9$y"]),
      ("Ünïcödé 名前", ["key Ünïcödé", "key 名前"]),
      ("and AND And", ["keyword AND", "keyword AND", "keyword AND"]),
      ("andy #and", ["key andy", "key and"]),
      ("ın", ["key ın"]),
      ("$source.title", ["variable source", "symbol .", "key title"]),
      ("a.@count", ["key a", "symbol .", "operator count"]),
      ("count:(x)", ["selector count:", "symbol (", "key x", "symbol )"]),
      ("add:to:(", ["selector add:to:", "symbol ("]),
      ("count:x", ["selector count:", "key x"]),
      ("0 7 9223372036854775807", ["integer 0", "integer 7", "integer 9223372036854775807"]),
      (
        "0x1F 0XfF 0o17 0O777 0b101 0B0",
        ["integer 31", "integer 255", "integer 15", "integer 511", "integer 5", "integer 0"]
      ),
      ("1.5 .25 1e3 2E-2 1.5e+2", ["real 1.5", "real 0.25", "real 1000.0", "real 0.02", "real 150.0"]),
      ("1.x", ["integer 1", "symbol .", "key x"]),
      ("'a' \"b\"", ["string a", "string b"]),
      ("'it\\'s' \"\\\"\"", ["string it's", "string \""]),
      ("'\"' \"'\"", ["string \"", "string '"]),
      (#"'\\d\t\n\r\u00e9\x41\*\/'"#, ["string \\d\t\n\ré\u{41}*/"]),
      (#"'\ud83d\ude00' '\UD83D\uDE00' '\u0041\U0041'"#, ["string 😀", "string 😀", "string AA"]),
      (#"'\101\x41\X41\351\000\377' '\1012'"#, ["string AAAé\0ÿ", "string A2"]),
      ("'100%% %@ %K'", ["string 100%% %@ %K"]),
      (
        "%@ %K %d %i %u %ld %lld %lu %qu %zd %f %lf %g",
        [
          "placeholder value", "placeholder keyPath", "placeholder integer", "placeholder integer",
          "placeholder integer", "placeholder integer", "placeholder integer", "placeholder integer",
          "placeholder integer", "placeholder integer", "placeholder real", "placeholder real", "placeholder real",
        ]
      ),
      (
        "= == != <> < <= =< > >= =>",
        [
          "symbol =", "symbol ==", "symbol !=", "symbol <>", "symbol <", "symbol <=", "symbol =<", "symbol >",
          "symbol >=", "symbol =>",
        ]
      ),
      (
        "&& || ! + - * ** / ( ) { } [ ] ,",
        [
          "symbol &&", "symbol ||", "symbol !", "symbol +", "symbol -", "symbol *", "symbol **", "symbol /",
          "symbol (", "symbol )", "symbol {", "symbol }", "symbol [", "symbol ]", "symbol ,",
        ]
      ),
      ("a*b**c", ["key a", "symbol *", "key b", "symbol **", "key c"]),
      ("a<>b", ["key a", "symbol <>", "key b"]),
      (
        "& | ^ ~ << >> a<<b &&c",
        [
          "symbol &", "symbol |", "symbol ^", "symbol ~", "symbol <<", "symbol >>", "key a", "symbol <<", "key b",
          "symbol &&", "key c",
        ]
      ),
    ] as [(String, [String])])
  func `The lexer recognizes every kind of token`(_ format: String, _ expected: [String]) throws {
    var lexer = Lexer(format)
    var found: [String] = []
    while true {
      let token = try lexer.next()
      if token.kind == .end { break }
      found.append(Self.name(token.kind))
    }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      #"'\ud800'"#, #"'\ud800x'"#, #"'\udc00'"#, #"'\ud800\u0041'"#, #"'\ud800\udbff'"#, #"'\ud800\ue000'"#,
      #"'\ud800\n'"#, #"'\ud800"#, #"'\ud800\"#, #"'\ud800\udc0"#,
    ])
  func `An unpaired surrogate escape throws an error`(_ format: String) {
    var lexer = Lexer(format)
    let error = #expect(throws: FormatError.self) { try lexer.next() }
    #expect(error?.problem == .invalidEscape || error?.problem == .unterminatedString)
  }

  @Test func `The first and the last surrogate pair are read`() throws {
    for (format, text) in [(#"'\ud800\udc00'"#, "\u{10000}"), (#"'\udbff\udfff'"#, "\u{10FFFF}")] {
      var lexer = Lexer(format)
      #expect(try lexer.next().kind == .string(text))
    }
  }

  @Test func `The lexer returns the end token repeatedly`() throws {
    var lexer = Lexer("a")
    _ = try lexer.next()
    for _ in 0..<3 { #expect(try lexer.next().kind == .end) }
  }

  @Test func `A token knows its byte range`() throws {
    var lexer = Lexer("é == 'ü'")
    let ranges = try (0..<4).map { _ in try lexer.next().range }
    #expect(ranges == [0..<2, 3..<5, 6..<10, 10..<10])
  }

  private static func name(_ kind: Token.Kind) -> String {
    switch kind {
    case .end: "end"
    case .symbol(let symbol): "symbol \(symbol.rawValue)"
    case .keyword(let keyword, _): "keyword \(keyword.rawValue)"
    case .key(let name): "key \(name)"
    case .selector(let name): "selector \(name)"
    case .variable(let name): "variable \(name)"
    case .collectionOperator(let name): "operator \(name)"
    case .integer(let value): "integer \(value)"
    case .real(let value): "real \(value)"
    case .string(let text): "string \(text)"
    case .placeholder(let placeholder): "placeholder \(placeholder)"
    }
  }
}
