/**
 * Colours of reports and of the page, in either scheme.
 * @public scripts/build-web.mjs makes the page's style from them.
 */
export const LIGHT = `
  --page: #ffffff; --ink: #1c2430; --muted: #566070; --axis: #7b8594; --grid: #e3e7ec; --box: #f4f6f8; --line: #cfd6de; --link: #0b5cad;
  --on-series: #ffffff;
  --series-0: #1f5fbf; --series-1: #c04400; --series-2: #00755a; --series-3: #8a4fa8; --series-4: #806000; --series-5: #00748f; --series-6: #b0306f; --series-7: #55606e;
  --heat-0: #8fbcf0; --heat-1: #b3d2f5; --heat-2: #d0e3f9; --heat-3: #e6f0fc; --heat-4: #f5f9fe; --below: #fbe3d6;
`;
/** @public */
export const DARK = `
  --page: #12161c; --ink: #e6eaf0; --muted: #a5afbd; --axis: #8792a2; --grid: #2a323d; --box: #1a2029; --line: #384352; --link: #7fb6ff;
  --on-series: #101418;
  --series-0: #7fb2ff; --series-1: #ff9e57; --series-2: #4fd1a5; --series-3: #d3a4f0; --series-4: #e5c04b; --series-5: #5fd0ea; --series-6: #ff8fc0; --series-7: #b4c0cc;
  --heat-0: #1f5797; --heat-1: #1c467a; --heat-2: #1a385e; --heat-3: #182b45; --heat-4: #161f2d; --below: #54301c;
`;

/** A page that a phone shows without scrolling sideways. */
export const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 90rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
a { color: var(--link); }
p { margin: .5rem 0; max-width: 48rem; }
nav ul, .legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: .5rem 0; padding: 0; list-style: none; }
.legend { font-size: .85rem; }
.legend li { display: inline-flex; align-items: center; gap: .4rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem 1rem; margin: .75rem 0; }
dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: .75rem 0; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding: .25rem 0; }
th, td { padding: .25rem .45rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; vertical-align: top; }
thead th { border-bottom-width: 2px; font-weight: 600; vertical-align: bottom; white-space: normal; }
tbody th { font-weight: 600; position: sticky; left: 0; background: var(--page); }
.number { text-align: right; }
.heat-0 { background: var(--heat-0); } .heat-1 { background: var(--heat-1); } .heat-2 { background: var(--heat-2); } .heat-3 { background: var(--heat-3); } .heat-4 { background: var(--heat-4); }
.heat-0 { font-weight: 600; }
.below { background: var(--below); } .none { color: var(--muted); font-style: italic; }
.shades { display: flex; flex-wrap: wrap; gap: .25rem; list-style: none; padding: 0; font-size: .85rem; } .shades li { padding: .1rem .6rem; border: 1px solid var(--line); }
figure { margin: .75rem 0; } figure svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
details { margin: .2rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; } summary span { color: var(--muted); font-size: .85rem; }
footer { margin-top: 3rem; color: var(--muted); font-size: .85rem; }
@media (max-width: 640px) { .wide { display: none; } .narrow { display: block; } .legend.narrow { display: flex; }
  dl { grid-template-columns: minmax(0, 1fr); } dd { margin-bottom: .35rem; } tbody th { min-width: 7.5rem; max-width: 9rem; white-space: normal; overflow-wrap: break-word; } }
@media print { details > * { display: block; } body { max-width: none; } }
`;
