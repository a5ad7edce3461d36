import path from 'node:path';

/**
 * Data flows one way: a folder of `src` imports only from folders of the lines above its own.
 * `cli` sees the rest, with the kernel's client. `base` are the single files beside the folders.
 */
export const layers = [
  ['base'],
  ['display'],
  ['manifests'],
  ['sensors'],
  ['io'],
  ['datasets'],
  ['preprocessing'],
  ['engine'],
  ['layers'],
  ['checkpoints'],
  ['encoders'],
  ['decoders'],
  ['losses', 'metrics'],
  ['detection'],
  ['training'],
  ['evaluation'],
  ['results'],
  ['statistics'],
  ['scale-out'],
  ['studies'],
  ['published'],
  ['report'],
  ['parity'],
  ['index'],
  ['kernel'],
  ['cli'],
];

const rank = new Map(layers.flatMap((names, level) => names.map((name) => [name, level])));

/** `…/src/io/raster.ts` → `io`; `…/src/errors.ts` → `base`; `…/src/index.ts` → `index`; undefined outside `src`. */
function layerOf(file) {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('src');
  if (at === -1) return undefined;
  if (parts.length > at + 2) return parts[at + 1];
  return /^index\.[jt]s$/.test(parts[at + 1] ?? '') ? 'index' : 'base';
}

/** Calls `visit` for every static, dynamic, type-only or re-exporting import of a literal name. */
export function onImports(visit) {
  const literal = (node) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') visit(node, node.value);
  };
  return {
    ImportDeclaration: (node) => literal(node.source),
    ExportNamedDeclaration: (node) => literal(node.source),
    ExportAllDeclaration: (node) => literal(node.source),
    ImportExpression: (node) => literal(node.source),
    TSImportType: (node) => literal(node.source ?? node.argument?.literal),
    CallExpression(node) {
      const callee = node.callee;
      const isRequire = callee.type === 'Identifier' && callee.name === 'require';
      const isCreated = callee.type === 'CallExpression' && callee.callee.name === 'createRequire';
      const isResolve = callee.type === 'MemberExpression' && callee.object.name === 'require';
      if (isRequire || isCreated || isResolve) literal(node.arguments[0]);
    },
  };
}

export const importLayers = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      unknown: 'src/{{layer}} has no place among the layers: add it to tools/eslint/layers.mjs.',
      upwards:
        '{{from}} may not import from {{to}}: a layer imports only from those before it (tools/eslint/layers.mjs).',
    },
  },
  create(context) {
    const from = layerOf(context.filename);
    if (from === undefined) return {};
    return onImports((node, name) => {
      if (!name.startsWith('.')) return;
      const to = layerOf(path.resolve(path.dirname(context.filename), name));
      if (to === undefined || to === from) return;
      for (const layer of [from, to]) {
        if (!rank.has(layer)) return void context.report({ node, messageId: 'unknown', data: { layer } });
      }
      const isBefore = rank.get(to) < rank.get(from);
      if (!isBefore) context.report({ node, messageId: 'upwards', data: { from, to } });
    });
  },
};
