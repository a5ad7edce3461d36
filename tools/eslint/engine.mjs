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
  conv3d: viaOps('conv3d'),
  depthwiseConv2d: viaOps('depthwiseConv2d'),
  separableConv2d: viaOps('depthwiseConv2d and conv2d'),
  batchNorm: viaOps('batchNorm'),
  batchNorm2d: viaOps('batchNorm'),
  batchNorm3d: viaOps('batchNorm'),
  batchNorm4d: viaOps('batchNorm'),
  matMul: viaOps('matMul or linear'),
  dot: viaOps('matMul or linear'),
  einsum: `${viaOps('matMul')}: einsum has no gradient`,
  mirrorPad: `${viaOps('mirrorPad')}: the gradient of tf.mirrorPad is wrong`,
  maxPool: viaOps('maxPool2d'),
  avgPool: viaOps('avgPool2d'),
  pool: viaOps('maxPool2d or avgPool2d'),
  gather: `${viaOps('gather')}: on wasm its gradient has no kernel`,
  gatherND: `${viaOps('gatherND')}: tf.gatherND has no gradient`,
  scatterND: `${viaOps('scatterAdd')}: tf.scatterND has no gradient`,
  tensorScatterUpdate: `${viaOps('scatterAdd')}: it has no gradient`,
  sparseToDense: `${viaOps('scatterAdd')}: it has no gradient`,
  stridedSlice: `${viaOps('stridedSlice')}: the tf op has no gradient`,
  cumsum: `${viaOps('cumsum')}: the gradient of tf.cumsum fails off the last axis`,
  cumprod: 'write it with products: cumprod has no gradient',
  topk: `${viaOps('topK')}: tf.topk has no gradient`,
  depthToSpace: `${viaOps('pixelShuffle')}: tf.depthToSpace has no gradient`,
  dilation2d: 'write it with maxPool2d of engine/ops: dilation2d is wrong on wasm',
  resizeBilinear: `${viaOps('resize')}: the gradient of the tf op ignores half-pixel centres`,
  resizeNearestNeighbor: viaOps('resize'),
  cropAndResize: `${viaOps('cropAndResize')}: the tf op has no gradient`,
};

/** Whole namespaces that stay out. */
export const bannedNamespaces = {
  image: viaOps('resize, cropAndResize, projectiveTransform or nonMaxSuppression'),
  layers: 'write the layer in src/layers: tf.layers lack the details of the references',
  losses: 'write the loss in src/losses: tf.losses reduce in other ways than the references',
  train: 'use src/training: tf.train lacks AdamW and schedules',
  linalg: 'its qr and bandPart have no gradient',
  fused: viaOps('conv2d or linear'),
};

/** Methods of tensors that are no common words elsewhere, so that `x.matMul(y)` is found too. */
const methods = new Set(Object.keys(bannedOps).filter((name) => !['pool', 'dot', 'gather'].includes(name)));

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
