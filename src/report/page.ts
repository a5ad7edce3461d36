import { embedBundle } from './embed-bundle.js';
import type { ChartCollection } from './figures.js';
import { markup, Markup, scriptJson } from './html.js';
import { PAGE_SCRIPT, pageStyle } from './style.js';
import { TABLE_SCRIPT } from './table-script.js';

/** Nothing is fetched and nothing evaluated: the policy allows what stands in the page alone. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A whole page around a body; the script that draws charts is in it only where there are any. */
export async function page(title: string, body: Markup, charts: ChartCollection): Promise<string> {
  const bundle = Object.keys(charts.specs).length > 0 ? await embedBundle() : undefined;
  const scripts = bundle !== undefined && [
    markup`<script type="application/json" id="chart-specs">${scriptJson(charts.specs)}</script>\n`,
    markup`<script>${new Markup(bundle.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--'))}</script>\n`,
    markup`<script>${new Markup(PAGE_SCRIPT)}</script>`,
  ];
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="generator" content="gondwana">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(pageStyle())}</style>
</head>
<body>${body}
${/<table|<figure/.test(body.text) && markup`<script>${new Markup(TABLE_SCRIPT)}</script>`}
${scripts}
</body>
</html>
`.text;
}
