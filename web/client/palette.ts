/** Colours of the page, in either scheme: scripts/build-web.mjs makes its style from them. */
export const LIGHT = `
  --page: #ffffff; --ink: #1c2430; --muted: #566070; --axis: #7b8594; --grid: #e3e7ec; --box: #f4f6f8; --line: #cfd6de; --link: #0b5cad;
  --on-series: #ffffff;
  --series-0: #1f5fbf; --series-1: #c04400; --series-2: #00755a; --series-3: #8a4fa8; --series-4: #806000; --series-5: #00748f; --series-6: #b0306f; --series-7: #55606e;
  --heat-0: #8fbcf0; --heat-1: #b3d2f5; --heat-2: #d0e3f9; --heat-3: #e6f0fc; --heat-4: #f5f9fe; --below: #fbe3d6;
`;
export const DARK = `
  --page: #12161c; --ink: #e6eaf0; --muted: #a5afbd; --axis: #8792a2; --grid: #2a323d; --box: #1a2029; --line: #384352; --link: #7fb6ff;
  --on-series: #101418;
  --series-0: #7fb2ff; --series-1: #ff9e57; --series-2: #4fd1a5; --series-3: #d3a4f0; --series-4: #e5c04b; --series-5: #5fd0ea; --series-6: #ff8fc0; --series-7: #b4c0cc;
  --heat-0: #1f5797; --heat-1: #1c467a; --heat-2: #1a385e; --heat-3: #182b45; --heat-4: #161f2d; --below: #54301c;
`;
