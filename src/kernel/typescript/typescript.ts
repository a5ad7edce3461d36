import { createRequire } from 'node:module';
import type TS from 'typescript';
import { loadCached } from './code-cache.js';

/**
 * TypeScript, for the language thread alone: it takes a fifth of a second to load, and 100 MB. Its types are
 * imported from 'typescript' as `TS`.
 */
export const ts = loadCached(createRequire(import.meta.url).resolve('typescript')) as typeof TS;
