/// Texts to begin with.
enum SeedTexts {
  static let documents = [
    #"{"artists":[{"id":"1","name":"Ann \u00e9\ud83d\ude00","imageURL":"https:\/\/i.example\/1"},{"name":"Bob"}],"n":-1.5e+10}"#,
    #"[true,false,null,0,-0,1E5,"",{},[],{"s":[1,{"a":"\n\t\\\""}]}]"#,
    "\u{FEFF} \"\u{1F600}\" ", "12345678901234567890123456789012345678901234567890",
    #"{"a":1,"a":2,"":[[[[[[[[]]]]]]]]}"#,
  ]

  static let formats = [
    "a ==[c] 'x' AND b > 3 OR NOT (d BETWEEN {1, 2.5})", "ANY y.b > 2 AND SUBQUERY(y, $i, $i.b = 1).@count > 0",
    "x.a LIKE '*a?' OR a MATCHES '[a-z]+' OR a BEGINSWITH[cd] 'e'", "c < CAST(1, 'NSDate') AND e = YES",
    "b IN {1, 2, 3} AND f = CAST('6D3A3F1E-0C55-4C6B-9F0E-1A2B3C4D5E6F', 'NSUUID')", "TERNARY(a = nil, 1, b + 2 * 3)",
    "FUNCTION($x, 's:', a)", "y.@max.b", "%K == %@ AND a CONTAINS %d", "uppercase(a)", "x.y[FIRST].b ** 2 - -1",
    "ALL y.a ENDSWITH 'q' && NONE y.b != 0 || TRUEPREDICATE", "FETCH(FUNCTION($m, 'f:p:', 'A', 'b = 1'), $m.c, NO)",
    "x.a != x.y.a", "average(y.b) >= 1.5e3", "b * (d + 0x1F) / 3 <> 7", "SELF IN y AND x = nil",
  ]

  static let propertyList = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0"><dict>
      <key>a</key><string>text &amp; <![CDATA[<more>]]></string><key>b</key><integer>-0x1F</integer>
      <key>c</key><real>1.5e3</real><key>d</key><true/><key>e</key><date>2024-02-29T12:34:56Z</date>
      <key>f</key><data>AAECAw==</data><key>g</key><array><dict><key>CF$UID</key><integer>7</integer></dict></array>
    </dict></plist>
    """
}
