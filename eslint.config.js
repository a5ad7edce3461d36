import tseslint from 'typescript-eslint';
import { noDirectOps, noTopLevelAwait, tensorflowInEngine } from './tools/eslint/engine.mjs';
import { importLayers } from './tools/eslint/layers.mjs';

const gondwana = {
  rules: {
    'import-layers': importLayers,
    'tensorflow-in-engine': tensorflowInEngine,
    'no-direct-ops': noDirectOps,
    'no-top-level-await': noTopLevelAwait,
  },
};

const typescript = ['**/*.ts'];
const ops = ['src/engine/ops/**'];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.venv/',
      'results/',
      'reports/',
      'bench/results/',
      'coverage/',
      'kernels/globals.d.ts',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.test.json'], tsconfigRootDir: import.meta.dirname },
    },
    plugins: { gondwana },
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off', // typed arrays: indices in range are undefined only to the type
      '@typescript-eslint/no-unnecessary-type-assertion': 'off', // TensorFlow.js infers ranks that assertions state for readers
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/unbound-method': 'off', // methods of our interfaces are closures, not members of classes
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-base-to-string': 'off', // values of JSON and of mime bundles are turned into text on purpose
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/manifests/zod-mini.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'zod/mini', message: 'It has no words for what is wrong: manifests/zod-mini.js.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'gondwana/import-layers': 'error',
      'gondwana/no-top-level-await': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Randomness comes in as an argument: random.ts.' },
      ],
    },
  },
  { files: ['src/**/*.ts'], ignores: ['src/engine/**'], rules: { 'gondwana/tensorflow-in-engine': 'error' } },
  { files: ['src/**/*.ts', 'studies/**/*.ts'], ignores: ops, rules: { 'gondwana/no-direct-ops': 'error' } },
  {
    files: ['test/**/*.ts'],
    rules: {
      // values of JSON reports are looked at one by one
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
