import { onImports } from './layers.mjs';

/** TensorFlow.js is loaded in one place, so that there is one copy, one backend and lazy start. */
export const tensorflowInEngine = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { elsewhere: 'Only src/engine imports {{name}}: take `tf` from engine/tf.js.' },
  },
  create: (context) =>
    onImports((node, name) => {
      if (/^@tensorflow\//.test(name)) context.report({ node, messageId: 'elsewhere', data: { name } });
    }),
};

const viaOps = (what) => `use ${what} of engine/ops`;

/**
 * Direct ops that compute wrong gradients, have no kernel on some engine, or differ from the references;
 * what stands in for each. `engine/ops` alone may call them, where tests compare every gradient.
 */
export const bannedOps = {
  conv1d: viaOps('conv2d'),
  conv2d: viaOps('conv2d'),
  conv2dTranspose: viaOps('conv2dTranspose'),
  conv3d: viaOps('a 3-D convolution'),
  depthwiseConv2d: viaOps('depthwiseConv2d'),
  separableConv2d: viaOps('depthwiseConv2d and conv2d'),
  batchNorm: viaOps('batchNorm'),
  batchNorm2d: viaOps('batchNorm'),
  batchNorm3d: viaOps('batchNorm'),
  batchNorm4d: viaOps('batchNorm'),
  matMul: viaOps('matMul'),
  dot: viaOps('matMul'),
  einsum: `${viaOps('matMul')}: einsum has no gradient`,
  mirrorPad: `${viaOps('mirrorPad')}: the gradient of tf.mirrorPad is wrong`,
  maxPool: viaOps('maxPool'),
  avgPool: viaOps('avgPool'),
  pool: viaOps('maxPool or avgPool'),
  gatherND: 'flatten and use tf.gather: gatherND has no gradient',
  scatterND: 'use tf.unsortedSegmentSum: scatterND has no gradient',
  tensorScatterUpdate: 'use tf.unsortedSegmentSum or tf.where: it has no gradient',
  sparseToDense: 'use tf.oneHot or tf.unsortedSegmentSum: it has no gradient',
  stridedSlice: 'use tf.slice, tf.reshape and tf.gather: stridedSlice has no gradient',
  cumsum: 'transpose first, then use an op of engine/ops: its gradient fails off the last axis',
  cumprod: 'it has no gradient: write it with products of engine/ops',
  topk: 'gather by indices: topk has no gradient',
  depthToSpace: viaOps('depthToSpace, or reshape and transpose'),
  dilation2d: 'it is wrong on wasm: write it with pooling of engine/ops',
  resizeBilinear: `${viaOps('resizeBilinear')}: the gradient of the tf op ignores half-pixel centres`,
  resizeNearestNeighbor: viaOps('resizeNearest'),
  cropAndResize: `${viaOps('cropAndResize')}: the tf op has no gradient`,
};

/** Whole namespaces that stay out. */
export const bannedNamespaces = {
  image: viaOps('resizeBilinear, resizeNearest, …'),
  layers: 'write the layer in src/layers: tf.layers keeps state of its own and lacks the references’ details',
  losses: 'write the loss in src/losses: tf.losses have other reductions than the references',
  train: 'use src/training: tf.train lacks AdamW and schedules',
  linalg: 'qr and bandPart have no gradient',
  fused: viaOps('conv2d or matMul'),
};

/** Methods of tensors that are no common words elsewhere, so that `x.matMul(y)` is found too. */
const methods = new Set(Object.keys(bannedOps).filter((name) => !['pool', 'dot'].includes(name)));

export const noDirectOps = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { direct: '{{op}} is not called outside engine/ops: {{instead}}.' },
  },
  create(context) {
    const fromOps = new Set();
    return {
      ImportDeclaration(node) {
        if (!/(^|\/)ops\//.test(node.source.value)) return;
        for (const specifier of node.specifiers) fromOps.add(specifier.local.name);
      },
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (typeof name !== 'string') return;
        const isTf = node.object.type === 'Identifier' && node.object.name === 'tf';
        if (node.object.type === 'Identifier' && fromOps.has(node.object.name)) return;
        const instead =
          (isTf && bannedNamespaces[name]) || (isTf || methods.has(name) ? bannedOps[name] : undefined);
        if (instead && Object.hasOwn(isTf ? { ...bannedNamespaces, ...bannedOps } : bannedOps, name)) {
          context.report({
            node,
            messageId: 'direct',
            data: { op: isTf ? `tf.${name}` : `.${name}()`, instead },
          });
        }
      },
      /** `const { conv2d } = tf` */
      VariableDeclarator(node) {
        if (node.init?.name !== 'tf' || node.id.type !== 'ObjectPattern') return;
        for (const property of node.id.properties) {
          const name = property.key?.name;
          const instead = name && (bannedNamespaces[name] ?? bannedOps[name]);
          if (instead)
            context.report({ node: property, messageId: 'direct', data: { op: `tf.${name}`, instead } });
        }
      },
    };
  },
};

/** A top-level await anywhere makes `require('gondwana')` fail, and with it every notebook. */
export const noTopLevelAwait = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { await: 'No top-level await in src: `require` of the package would fail in notebooks.' },
  },
  create(context) {
    let depth = 0;
    const enter = () => void depth++;
    const leave = () => void depth--;
    const check = (node) => {
      if (depth === 0) context.report({ node, messageId: 'await' });
    };
    return {
      ':function': enter,
      ':function:exit': leave,
      AwaitExpression: check,
      'ForOfStatement[await=true]': check,
    };
  },
};
