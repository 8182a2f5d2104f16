extension Page {
  /// The style sheet: light and dark, wide and narrow, screen and paper.
  static let style = """

    :root {
      --paper: #fff; --ink: #1b1f24; --quiet: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0a58ca;
      --mark: #2f6db5; --edge: #8c959f; --fault: #ffd8d3; --fault-ink: #82071e; --focus: #0a58ca;
      --added: #116329; --added-paper: #dafbe1; --removed: #a40e26; --removed-paper: #ffebe9; --changed: #7d4e00;
      --changed-paper: #fff8c5; color-scheme: light dark;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --paper: #0f1318; --ink: #e6edf3; --quiet: #a0abb7; --line: #343b44; --panel: #181e25; --link: #79b8ff;
        --mark: #6ba6e8; --edge: #6e7781; --fault: #67181d; --fault-ink: #ffdcd7; --focus: #79b8ff;
        --added: #7ee787; --added-paper: #12261e; --removed: #ffa198; --removed-paper: #331a1e; --changed: #e3b341;
        --changed-paper: #2b2410;
      }
    }
    * { box-sizing: border-box; }
    html { scroll-behavior: smooth; }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
    body {
      margin: 0 auto; max-width: 68rem; padding: 0 1.25rem 3rem; background: var(--paper); color: var(--ink);
      font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; overflow-wrap: anywhere;
    }
    h1 { font-size: 1.9rem; line-height: 1.2; margin: 2rem 0 .25rem; }
    h2 { font-size: 1.35rem; margin: 0 0 .75rem; }
    h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
    header p, footer p, .note, .none { color: var(--quiet); }
    a { color: var(--link); }
    :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
    .skip { position: absolute; left: -999rem; }
    .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem 1rem; }
    nav ol { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 1rem 0; padding: .75rem 0;
      border-block: 1px solid var(--line); }
    section { padding: 1.75rem 0; border-bottom: 1px solid var(--line); }
    section > details { margin: 0; }
    section > details > summary { color: inherit; }
    section > details > summary h2 { display: inline; }
    section > details[open] > summary { margin-bottom: .75rem; }
    .verdict { font-size: 1.25rem; margin: 1.25rem 0 .5rem; }
    .findings { margin: .5rem 0 0; padding-left: 1.25rem; }
    data, time, .figure { white-space: nowrap; overflow-wrap: normal; }
    .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); gap: .75rem; margin: 0; }
    .cards div { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
    .cards dt { color: var(--quiet); font-size: .875rem; }
    .cards dd { margin: 0; font-size: 1.375rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .cards dd.before { font-size: .875rem; font-weight: 400; color: var(--quiet); }
    figure { margin: 1.5rem 0 0; }
    figcaption, caption { font-weight: 600; text-align: left; padding-bottom: .5rem; }
    .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(19rem, 1fr)); gap: 0 2rem; }
    svg { display: block; width: 100%; height: auto; max-width: 40rem; font: 12px system-ui, "Noto Sans", sans-serif; }
    svg text { fill: var(--ink); }
    .network svg, .diagram svg { max-width: 100%; }
    .diagram svg { width: auto; }
    svg .label { text-anchor: end; }
    svg .tick, svg .figure, svg .node text { text-anchor: middle; }
    svg .tick { fill: var(--quiet); }
    svg .mark { fill: var(--mark); }
    svg .hit { fill: transparent; }
    svg .row:hover .mark { fill: var(--ink); }
    svg .axis { stroke: var(--line); }
    svg .edge { stroke: var(--edge); stroke-opacity: .55; }
    svg .edge:hover { stroke: var(--ink); stroke-opacity: 1; }
    svg .node text { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; font-size: 11.5px; }
    \(Diagram.diagramStyle)
    details { margin-top: .5rem; }
    summary { cursor: pointer; color: var(--link); width: fit-content; }
    .scroll { overflow-x: auto; max-width: 100%; }
    table { border-collapse: collapse; width: 100%; margin: .75rem 0; font-size: .9375rem; overflow-wrap: break-word; }
    th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    th { font-weight: 600; }
    tbody th { font-weight: 400; }
    td ul { margin: 0; padding-left: 1.125rem; }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    pre { background: var(--panel); border: 1px solid var(--line); border-radius: .375rem; padding: .625rem .75rem;
      margin: .5rem 0 1rem; white-space: pre-wrap; font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
    .command span { display: inline-block; max-width: 100%; overflow-wrap: anywhere; }
    code { font: .875em ui-monospace, "DejaVu Sans Mono", monospace; }
    mark { background: var(--fault); color: var(--fault-ink); outline: 1px solid var(--fault-ink); }
    .search-bar { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .5rem 0; }
    .search-bar label { display: flex; flex-wrap: wrap; gap: .25rem .625rem; align-items: center; }
    .search-bar input { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge);
      border-radius: .375rem; padding: .375rem .625rem; min-width: min(18rem, 100%); }
    .search-bar button { font: inherit; color: var(--link); background: var(--panel); border: 1px solid var(--line);
      border-radius: .375rem; padding: .375rem .75rem; cursor: pointer; }
    .rows { max-height: 26rem; overflow: auto; border: 1px solid var(--line); border-radius: .375rem; }
    .rows table { margin: 0; table-layout: fixed; min-width: 34rem; }
    .rows th, .rows td { padding: .35rem .75rem; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; height: 2.25rem; }
    .rows thead th { position: sticky; top: 0; background: var(--panel); z-index: 1; }
    .rows thead button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
      width: 100%; text-align: inherit; }
    .rows tbody button { font: inherit; color: var(--link); background: none; border: 0; padding: 0; cursor: pointer;
      max-width: 100%; overflow: hidden; text-overflow: ellipsis; text-align: inherit; text-decoration: underline; }
    .rows tr.fault, .fault-text { color: var(--removed); }
    .rows tr.fault { background: var(--removed-paper); }
    svg .fault .mark { fill: var(--removed); }
    dialog { color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
      max-width: min(40rem, 92vw); max-height: 85vh; overflow-y: auto; padding: 1.25rem; }
    dialog h3 { margin-top: 0; }
    dialog::backdrop { background: rgb(0 0 0 / .5); }
    dialog button { font: inherit; padding: .25rem .75rem; }
    .rows tr.space td { padding: 0; border: 0; }
    @media (max-width: 34rem) {
      body { padding: 0 .875rem 2rem; }
      h1 { font-size: 1.5rem; }
      .cards dd { font-size: 1.25rem; }
      .network svg, .diagram svg { min-width: 44rem; }
      .scrolls { overflow-x: auto; }
      .scrolls > figcaption::after { content: " (swipe sideways to see all of it)"; font-weight: 400; }
      .scrolls > figcaption::after { color: var(--quiet); }
    }
    @media print {
      :root { --paper: #fff; --ink: #000; --quiet: #444; --line: #bbb; --panel: #fff; --link: #000; --mark: #555; --edge: #999; }
      body { max-width: none; font-size: 10pt; }
      nav, .skip, .search-bar, figure summary { display: none; }
      section { padding: .75rem 0; }
      section > details > summary { list-style: none; break-after: avoid; }
      /* A whole figure with its table would leave the rest of a page empty. */
      svg, .cards div, tr { break-inside: avoid; }
      svg { max-height: 11cm; }
      h2, h3, figcaption, caption { break-after: avoid; }
      .rows, .scroll { max-height: none; overflow: visible; }
      /* Paper cannot be scrolled. */
      table { overflow-wrap: anywhere; }
      .rows thead th { position: static; }
      .rows table { min-width: 0; }
      .rows th, .rows td { white-space: normal; height: auto; }
    }

    """
}
