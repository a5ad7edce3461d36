import { darkTheme, lightTheme, themeVariables } from './charts/theme.js';

/** The page's style sheet: light and dark by the reader's system, light on paper, no web fonts. */
export const pageStyle = (): string => `
:root{color-scheme:light dark;${themeVariables(lightTheme)};--soft:#f5f6f8;--strong:#0f1215;--accent:#0b5cad;--warn:#9a4a00;--warn-soft:#fdf3e7}
@media (prefers-color-scheme:dark){:root{${themeVariables(darkTheme)};--soft:#1c2026;--strong:#fff;--accent:#7db8f2;--warn:#f0b26b;--warn-soft:#2a2117}}
@media print{:root{color-scheme:light;${themeVariables(lightTheme)};--soft:#f5f6f8;--strong:#000;--accent:#000;--warn:#7a3a00;--warn-soft:#fdf3e7}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--background);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
main{max-width:74rem;margin:0 auto;padding:3rem 1.5rem 5rem}
h1,h2,h3,h4{color:var(--strong);line-height:1.2;text-wrap:balance}
h1{font-size:clamp(1.6rem,1.1rem + 2vw,2.35rem);letter-spacing:-.015em;font-weight:650;margin:0 0 .5rem;max-width:52rem}
h2{font-size:1.3rem;font-weight:640;letter-spacing:-.005em;margin:3.5rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1rem;font-weight:640;margin:2rem 0 .5rem}
h4{font-size:.875rem;font-weight:600;margin:1.75rem 0 .5rem}
p{margin:.5rem 0 .75rem;max-width:46rem;overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:.15em}
code,.mono{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.meta,.context,.id,figcaption span{color:var(--muted)}
.meta{font-size:.875rem;margin:0 0 1.75rem}
.answer{max-width:46rem}
.answer p{max-width:none;margin:0 0 .9rem}
.answer p.lead{font-size:1.075rem}
.answer strong{font-weight:640;color:var(--strong)}
.context{font-size:.8125rem;line-height:1.45;margin:.5rem 0 1.25rem;max-width:60rem}
.note{max-width:46rem;margin:.75rem 0;background:var(--warn-soft);border-left:3px solid var(--warn);padding:.6rem .9rem;font-size:.9rem;border-radius:0 4px 4px 0}
.note ul{margin:.35rem 0 0;padding-left:1.1rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:.875rem;margin:1.75rem 0 0}
nav a{text-decoration:none}nav a:hover{text-decoration:underline}
.scroll{overflow-x:auto;max-width:100%;margin:1rem 0 0;-webkit-overflow-scrolling:touch}
.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
table{border-collapse:collapse;font-size:.875rem;line-height:1.4;font-variant-numeric:tabular-nums lining-nums}
th,td{padding:.38rem .9rem .38rem 0;text-align:left;vertical-align:baseline;white-space:nowrap;border-bottom:1px solid var(--line)}
th:last-child,td:last-child{padding-right:.25rem}
thead th{font-weight:550;color:var(--muted);font-size:.8125rem;vertical-align:bottom;border-bottom-color:var(--muted)}
thead th.group{color:var(--text);border-bottom:0;padding-bottom:.1rem;text-align:center}
tbody th{font-weight:500;color:var(--text);position:sticky;left:0;background:var(--background)}
.number{text-align:right}
thead .extent{font-weight:400}
td strong{font-weight:680;color:var(--strong)}
tr.rule th,tr.rule td{border-top:1px solid var(--muted)}
tr.rule~tr th,tr.rule th{color:var(--muted);font-weight:400}
.spread{color:var(--muted);font-weight:400;display:inline-block;text-align:left}
table:has(.spread:not(:empty)) .spread{min-width:3.9em}
td .mono{white-space:normal}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:1.5rem 2.5rem;margin:1rem 0 0}
figure{margin:0;min-width:0}
figure.chart h3{margin:.25rem 0 .5rem}
.plot{width:100%}
.plot .vega-embed{width:100%;display:block;padding:0}
.plot svg{max-width:100%;display:block}
figure.chart .context{margin-bottom:0}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.75rem 0 0;padding:0;font-size:.8125rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.4rem;vertical-align:-.08rem;background:var(--key);box-shadow:0 0 0 1px var(--muted)}
.panes{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(46%,9.3rem),1fr));gap:.9rem .75rem}
.pane svg{width:100%;height:auto;display:block;border-radius:3px;background:var(--soft)}
.panes.objects{grid-template-columns:repeat(auto-fill,minmax(min(100%,18.75rem),1fr))}
.pane image{image-rendering:auto}
.pane.missing div{aspect-ratio:4/3;display:grid;place-items:center;background:var(--soft);color:var(--muted);font-size:.75rem;border-radius:3px;text-align:center}
figcaption{font-size:.8125rem;line-height:1.35;margin-top:.35rem;overflow-wrap:anywhere}
figcaption span{display:block;font-variant-numeric:tabular-nums}
h4 .id{font-weight:400;font-size:.8125rem;margin-left:.4rem}
svg.store{position:absolute;width:0;height:0}
details{margin:1.25rem 0;border-top:1px solid var(--line);padding-top:.75rem}
summary{cursor:pointer;font-weight:600;color:var(--strong)}
details .scroll,.scroll.long{max-height:32rem;overflow:auto;contain:content}
:is(details,.long) thead th{position:sticky;top:0;background:var(--background)}
#vg-tooltip-element{font-family:inherit!important;background:var(--background)!important;color:var(--text)!important;border-color:var(--line)!important}
#vg-tooltip-element td.key{color:var(--muted)!important}
footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--muted);font-size:.8125rem}
#images:has(.size:checked) .panes{grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr))}
#images:has(.size:checked) .panes.objects{grid-template-columns:repeat(auto-fill,minmax(min(100%,34rem),1fr))}
.tools{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:baseline;font-size:.8125rem}
.tools label{cursor:pointer;user-select:none}
.table-tools{gap:.4rem .6rem;margin:1.25rem 0 -.4rem;align-items:center}
input[type=search],select,.tools button,.more,.save{font:inherit;font-size:.8125rem;color:var(--text);background:var(--background);border:1px solid var(--line);border-radius:4px;padding:.28rem .5rem;max-width:100%}
input[type=search]{width:13rem}
button{cursor:pointer}
.tools button:hover,.more:hover,.save:hover{border-color:var(--muted)}
:is(input,select,button):focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.tools output{color:var(--muted)}
.tools output:empty{display:none}
.sort{all:unset;cursor:pointer;box-sizing:border-box}
.sort:hover{color:var(--text)}
th[aria-sort=ascending] .sort::after{content:" ↑"}
th[aria-sort=descending] .sort::after{content:" ↓"}
.sort:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
.more{margin:.6rem 0 0}
[hidden]{display:none}
figure.chart{position:relative}
.save{margin:.5rem 0 0}
td.free{white-space:normal;min-width:14rem}
.axes{margin:0 0 .9rem;padding-left:1.1rem}
@media (max-width:40rem){tbody th{white-space:normal;min-width:6.5rem}main{padding:1.75rem 1rem 3rem}h2{margin-top:2.5rem}.answer p.lead{font-size:1rem}}
@media print{main{max-width:none;padding:0}html{font-size:9.5pt}thead th{font-size:inherit}nav,.tools,.more,.save{display:none}.sort::after{content:none!important}[data-choice][hidden]{display:block}.scroll,details .scroll,.scroll.long{overflow:visible;max-height:none;contain:none}table{font-size:7.5pt}.context,figcaption{font-size:7.5pt}th,td{white-space:normal;padding-right:.5rem}h2{break-after:avoid}figure,.window,tr{break-inside:avoid}.pane svg{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;

/** Draws every chart of the page into its place, and marks the page when all are done. */
export const PAGE_SCRIPT = `
(async () => {
  const specs = JSON.parse(document.getElementById('chart-specs').textContent);
  const failed = [];
  for (const [id, spec] of Object.entries(specs)) {
    try {
      await vegaEmbed('#' + id, spec, { mode: 'vega-lite', actions: false, renderer: 'svg', ast: true, logLevel: 1 });
    } catch (error) {
      failed.push(id);
      document.getElementById(id).textContent = 'This chart could not be drawn (' + error.message + '). The tables hold its numbers.';
    }
  }
  document.documentElement.dataset.charts = failed.length === 0 ? 'drawn' : 'failed';
  document.dispatchEvent(new Event('charts'));
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details[data-print=open]')) details.open = true;
  });
})();
`;
