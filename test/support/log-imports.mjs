// Loaded with --import: writes every module that the program loads into the file GONDWANA_IMPORT_LOG, one a line.
import { appendFileSync } from 'node:fs';
import { Module, register } from 'node:module';

const hooks = `
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(process.env.GONDWANA_IMPORT_LOG)}, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
process.on('exit', () => {
  appendFileSync(process.env.GONDWANA_IMPORT_LOG, Object.keys(Module._cache).join('\n'));
});
