/// Documents that RFC 8259 allows.
enum ValidDocuments {
  static let all = structures + numbers + strings + blanks

  static let structures: [JSONCase] = [
    JSONCase("[]", "[ ]"),
    JSONCase("{}", "{ }"),
    JSONCase("[[]]", "[ [ ] ]"),
    JSONCase("[{}]", "[ { } ]"),
    JSONCase("[[],[[]]]", "[ [ ] [ [ ] ] ]"),
    JSONCase("null", "null"),
    JSONCase("true", "true"),
    JSONCase("false", "false"),
    JSONCase("[null,true,false]", "[ null true false ]"),
    JSONCase(#"{"a":1}"#, "{ k(a) n(1) }"),
    JSONCase(#"{"a":{"b":{"c":[]}}}"#, "{ k(a) { k(b) { k(c) [ ] } } }"),
    JSONCase(#"{"":0}"#, "{ k() n(0) }"),
    JSONCase(#"{"a":1,"a":2}"#, "{ k(a) n(1) k(a) n(2) }"),
    JSONCase(#"{"a":1,"b":"x","c":[null]}"#, "{ k(a) n(1) k(b) s(x) k(c) [ null ] }"),
    JSONCase(#"[1,[2,[3,[4]]]]"#, "[ n(1) [ n(2) [ n(3) [ n(4) ] ] ] ]"),
    JSONCase(#"{"a":[{"b":1},{"b":2}]}"#, "{ k(a) [ { k(b) n(1) } { k(b) n(2) } ] }"),
    JSONCase(#"[null, 1, "1", {}]"#, "[ null n(1) s(1) { } ]"),
    JSONCase(#"{"foo\u0000bar": 42}"#, "{ k(foo<00>bar) n(42) }"),
    JSONCase(#"{"title":"\u041f\u043e"}"#, "{ k(title) s(По) }"),
    JSONCase(#"{"é":"東京"}"#, "{ k(é) s(東京) }"),
  ]

  static let numbers: [JSONCase] = [
    "0", "-0", "1", "-1", "10", "123", "-123", "0.5", "-0.5", "1.25", "0.0", "-0.0", "1e5", "1E5", "1e+5", "1e-5",
    "1E+5", "1E-5", "0e1", "0e+1", "0E-1", "1.5e10", "123.456e78", "1e400", "-1e400", "1e-400", "1e999999999999",
    "12345678901234567890123", "-12345678901234567890123", "9007199254740993", "9223372036854775808",
    "18446744073709551616", "0.1000000000000000055511151231257827", "3.141592653589793238462643383279",
    "-0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
    "1.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e-000000000001",
  ].flatMap { number in
    [JSONCase(number, "n(\(number))"), JSONCase("[\(number)]", "[ n(\(number)) ]")]
  }

  static let strings: [JSONCase] = [
    JSONCase(#""""#, "s()"),
    JSONCase(#"" ""#, "s( )"),
    JSONCase(#""abc""#, "s(abc)"),
    JSONCase(#""a/b""#, "s(a/b)"),
    JSONCase(#""\"\\\/\b\f\n\r\t""#, #"s("\/<08><0c><0a><0d><09>)"#),
    JSONCase(#""\\""#, #"s(\)"#),
    JSONCase(#""\\u0041""#, #"s(\u0041)"#),
    JSONCase(#""\\ud800""#, #"s(\ud800)"#),
    JSONCase(#""\\\\ud800""#, #"s(\\ud800)"#),
    JSONCase(#""\\\u0041""#, #"s(\A)"#),
    JSONCase(#""\\\ud83d\ude00""#, #"s(\😀)"#),
    JSONCase(#""\u0041\u00e9\u6771""#, "s(Aé東)"),
    JSONCase(#""\u00E9\u00e9""#, "s(éé)"),
    JSONCase(#""\u0000""#, "s(<00>)"),
    JSONCase(#""a\u0000b""#, "s(a<00>b)"),
    JSONCase(#""\u0000\u0000""#, "s(<00><00>)"),
    JSONCase(#""\ud83d\ude00""#, "s(😀)"),
    JSONCase(#""\uD83D\uDE00""#, "s(😀)"),
    JSONCase(#""x\ud83d\ude00y""#, "s(x😀y)"),
    JSONCase(#""\ud800\udc00""#, "s(\u{10000})"),
    JSONCase(#""\udbff\udfff""#, "s(\u{10ffff})"),
    JSONCase(#""\ud83d\ude00\ud83d\ude01""#, "s(😀😁)"),
    JSONCase(#""\ud7ff\ue000""#, "s(\u{d7ff}\u{e000})"),
    JSONCase(#""\uffff\ufffe""#, "s(\u{ffff}\u{fffe})"),
    JSONCase(#""\ufeff""#, "s(\u{feff})"),
    JSONCase(#""\u2028\u2029""#, "s(\u{2028}\u{2029})"),
    JSONCase("\"\u{2028}\u{2029}\"", "s(\u{2028}\u{2029})"),
    JSONCase("\"\u{feff}\"", "s(\u{feff})"),
    JSONCase("\"\u{7f}\"", "s(<7f>)"),
    JSONCase(
      "\"\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"", "s(\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff})"),
    JSONCase("\"\u{d7ff}\u{e000}\"", "s(\u{d7ff}\u{e000})"),
    JSONCase("\"é東😀\"", "s(é東😀)"),
    JSONCase("\"👩‍👩‍👧‍👦🇯🇵\"", "s(👩‍👩‍👧‍👦🇯🇵)"),
    JSONCase("\"a,b:c[d]e{f}g\"", "s(a,b:c[d]e{f}g)"),
    JSONCase(#""/* no comment */""#, "s(/* no comment */)"),
    JSONCase(#"["\"",",","]"]"#, #"[ s(") s(,) s(]) ]"#),
    JSONCase(
      #""0123456789abcdef0123456789abcdef\u00e90123456789abcdef""#,
      "s(0123456789abcdef0123456789abcdefé0123456789abcdef)"),
    JSONCase(
      "\"0123456789abcdef0123456789abcdéf0123456789abcdef0123456789abcde😀f\"",
      "s(0123456789abcdef0123456789abcdéf0123456789abcdef0123456789abcde😀f)"),
  ]

  static let blanks: [JSONCase] = [
    JSONCase(" null ", "null"),
    JSONCase(" 1 ", "n(1)"),
    JSONCase("\n\t\r 1\n\t\r ", "n(1)"),
    JSONCase("1\n", "n(1)"),
    JSONCase(" [ 1 , 2 ] ", "[ n(1) n(2) ]"),
    JSONCase("[\r\n1\r\n,\r\n2\r\n]\r\n", "[ n(1) n(2) ]"),
    JSONCase(" { \"a\" : 1 , \"b\" : 2 } ", "{ k(a) n(1) k(b) n(2) }"),
    JSONCase("\"a\"\n", "s(a)"),
    JSONCase("\u{feff}[1]", "[ n(1) ]"),
    JSONCase("\u{feff} \"é\" ", "s(é)"),
    JSONCase("\u{feff}7", "n(7)"),
  ]
}
