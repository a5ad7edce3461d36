import { parentPort, workerData } from 'node:worker_threads';
import { errorData } from '../errors.js';
import { withAdvice } from './advice.js';
import type { Cell, CellEngineName, CellLanguage, ConvertedCell, LanguageOptions } from './cell-engine.js';
import { ownMembersFirst } from './completion-order.js';
import type { LanguageReply, LanguageRequest, LanguageThreadData } from './language-client.js';
import type { LanguageAnswer, LanguageQuestion } from './protocol.js';
import { readMagics } from './runtime/magics.js';
import { isTooDeep, tooDeep } from './too-deep.js';

/**
 * The thread that reads code: conversion for the main thread, completion and the like for the wire thread, each
 * over its port. Questions wait while the compiler is loaded.
 */
async function serve(): Promise<void> {
  const { engine, options, wire } = workerData as LanguageThreadData;
  const language = await loadLanguage(engine, options);
  parentPort!.on('message', (request: LanguageRequest) => {
    const reply = serveMain(language, request, options.folder);
    if (reply) parentPort!.postMessage(reply);
  });
  wire.on('message', (question: LanguageQuestion) => wire.postMessage(answerWire(language, question)));
}

async function loadLanguage(engine: CellEngineName, options: LanguageOptions): Promise<CellLanguage> {
  const { createLanguage } =
    engine === 'tslab' ? await import('./tslab/language.js') : await import('./typescript/language.js');
  return createLanguage(options);
}

function serveMain(
  language: CellLanguage,
  request: LanguageRequest,
  folder: string,
): LanguageReply | undefined {
  try {
    switch (request.kind) {
      case 'convert':
        return { n: request.n, answer: convert(language, request.cell, folder) };
      case 'inspect':
        return { n: request.n, answer: language.inspect(request.code, request.position, request.source) };
      case 'commit':
        return void language.commit(request.id, request.failed, request.kept);
      case 'strictness':
        return void language.setStrictness(request.level);
      case 'reset':
        return void language.reset();
    }
  } catch (error) {
    // what waits for no answer has nobody to tell; the next conversion says what is wrong
    return 'n' in request ? { n: request.n, error: errorData(named(error)) } : undefined;
  }
}

const named = (error: unknown): unknown => (isTooDeep(error) ? tooDeep(error) : error);

function convert(language: CellLanguage, cell: Cell, folder: string): ConvertedCell {
  const converted = language.convert(cell);
  return {
    ...converted,
    diagnostics: withAdvice(converted.diagnostics, { code: cell.code, folder }),
  };
}

/** What is left of a line that asks for help, of commands and of magics is empty: it is complete. */
function withoutMagics(code: string): string {
  try {
    return readMagics(code, () => false).code;
  } catch {
    return ''; // no such magic: running it says so
  }
}

/** A question that fails is answered too, with nothing. */
function answerWire(language: CellLanguage, question: LanguageQuestion): LanguageAnswer {
  const { n } = question;
  try {
    switch (question.kind) {
      case 'complete': {
        const completion = language.complete(question.code, question.position);
        return { n, answer: completion && ownMembersFirst(completion) };
      }
      case 'inspect':
        return { n, answer: language.inspect(question.code, question.position, question.source) };
      case 'is-complete':
        return { n, answer: language.isComplete(withoutMagics(question.code)) };
    }
  } catch {
    return { n, answer: undefined };
  }
}

void serve();
