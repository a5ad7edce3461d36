import { darkTheme, lightTheme, themeVariables } from '../../../report/charts/theme.js';

const DARK_ANSI = ['#5d646d', '#ff7b72', '#4cc38a', '#e3b341', '#79b8ff', '#d2a8ff', '#56d4dd', '#d0d5db'];
const LIGHT_ANSI = ['#22262b', '#b42318', '#116b3c', '#835500', '#0b5cad', '#8a3fa0', '#0f6674', '#5f6670'];
const ansi = (colours: readonly string[]): string =>
  [...colours, ...colours].map((colour, i) => `--ansi-${i}:${colour}`).join(';');

const light = `${themeVariables(lightTheme)};--soft:#f5f6f8;--strong:#0f1215;--accent:#0b5cad;--error:#b42318;--error-soft:#fdf0ee;--warn:#9a4a00;--comment:#68707a;--string:#116b3c;--number:#8a3fa0;--keyword:#0b5cad;${ansi(LIGHT_ANSI)}`;
const dark = `${themeVariables(darkTheme)};--soft:#1c2026;--strong:#fff;--accent:#7db8f2;--error:#ff8a80;--error-soft:#2c1b1b;--warn:#f0b26b;--comment:#8d96a0;--string:#7ecf9f;--number:#d2a8ff;--keyword:#7db8f2;${ansi(DARK_ANSI)}`;

const ansiClasses = Array.from(
  { length: 16 },
  (_, i) =>
    `.ansi-${i}{color:var(--ansi-${i})}.ansi-on-${i}{background:var(--ansi-${i});color:var(--background)}`,
).join('');

/** For texts, tables and code; also inside an output that is kept apart, where the page's own rules do not reach. */
export const contentStyle = (): string => `
a{color:var(--accent);text-underline-offset:.15em}
h1,h2,h3,h4,h5,h6{color:var(--strong);line-height:1.25;text-wrap:balance;margin:1.75rem 0 .6rem;font-weight:640}
h1{font-size:clamp(1.55rem,1.1rem + 1.8vw,2.1rem);letter-spacing:-.015em}h2{font-size:1.35rem}h3{font-size:1.1rem}h4,h5,h6{font-size:1rem}
p,ul,ol,blockquote{margin:.55rem 0 .75rem;max-width:46rem;overflow-wrap:anywhere}
li>ul,li>ol,li>p{margin:.2rem 0}
blockquote{margin-left:0;padding-left:1rem;border-left:3px solid var(--line);color:var(--muted)}
hr{border:0;border-top:1px solid var(--line);margin:1.5rem 0}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.8125rem;line-height:1.5;tab-size:2}
p code,li code,td code,th code{background:var(--soft);border-radius:3px;padding:.1em .3em;overflow-wrap:anywhere}
pre{margin:0;white-space:pre;overflow-x:auto}
pre.code{background:var(--soft);border-radius:5px;padding:.7rem .9rem;margin:.5rem 0}
pre:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.875rem;line-height:1.4;font-variant-numeric:tabular-nums lining-nums;margin:.25rem 0}
caption{text-align:left;color:var(--muted);font-size:.8125rem;padding:0 0 .35rem}
th,td{padding:.35rem 1rem .35rem 0;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--line)}
th{font-weight:550;color:var(--muted);font-size:.8125rem;border-bottom-color:var(--muted);vertical-align:bottom;white-space:nowrap}
tbody th{font-weight:500;color:var(--text);border-bottom-color:var(--line);font-size:inherit}
img,svg{max-width:100%;height:auto}
img{background:#fff;border-radius:3px}
progress{accent-color:var(--accent);vertical-align:-.1em;max-width:40%}
.comment{color:var(--comment)}.string,.pattern{color:var(--string)}.number,.constant{color:var(--number)}.keyword{color:var(--keyword)}
`;

export const pageStyle = (): string => `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
@media print{:root{color-scheme:light;${light}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--background);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
main{max-width:64rem;margin:0 auto;padding:2.25rem 1.5rem 4rem 4.5rem}
${contentStyle()}
.cell{margin:.9rem 0}
.cell.text>:first-child,.cell.text:first-child h1{margin-top:.25rem}
.cell.code{position:relative;margin:1.1rem 0}
.prompt{position:absolute;right:100%;top:.72rem;padding-right:.8rem;color:var(--muted);font:.75rem/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:nowrap}
.cell.code>pre.code{margin:0}
.outputs{margin:.6rem 0 0;padding:0 .9rem;display:grid;grid-template-columns:minmax(0,1fr);gap:.7rem}
.outputs:empty{display:none}
.stderr{border-left:3px solid var(--warn);padding-left:.7rem}
.error{border-left:3px solid var(--error);background:var(--error-soft);border-radius:0 5px 5px 0;padding:.7rem .9rem}
.error pre{white-space:pre-wrap;overflow-wrap:anywhere}
.error strong{color:var(--error);font-weight:640}
.picture{margin:0}
.picture img{display:block;padding:.25rem;max-width:min(100%,46rem)}
.note{color:var(--muted);font-size:.8125rem;margin:0}
.bold{font-weight:680}.faint{opacity:.75}.italic{font-style:italic}.underline{text-decoration:underline}
${ansiClasses}
footer{margin-top:3rem;padding-top:.8rem;border-top:1px solid var(--line);color:var(--muted);font-size:.8125rem}
@media (max-width:46rem){main{padding:1.25rem 1rem 3rem}.prompt{position:static;display:block;padding:0 0 .15rem}.outputs{padding:0 .25rem}}
@media print{main{max-width:none;padding:0}html{font-size:9.5pt}pre{white-space:pre-wrap;overflow-wrap:anywhere}.scroll{overflow:visible}.cell.code,figure,tr{break-inside:avoid}.prompt{position:static;display:block}}
`;
