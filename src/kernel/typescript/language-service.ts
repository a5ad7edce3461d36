import path from 'node:path';
import type TS from 'typescript';
import type { Files } from './files.js';
import { ts } from './typescript.js';

/** TypeScript's language service about one cell, over the syntax trees the checker uses too. */
export function createService(files: Files, cell: string): TS.LanguageService {
  const { host, language } = files;
  return ts.createLanguageService(
    {
      getCompilationSettings: () => files.options,
      getScriptFileNames: () => [language.globals, cell],
      getScriptVersion: (file) => files.version(file),
      getScriptSnapshot: (file) => {
        const text = files.text(file);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => language.folder,
      getDefaultLibFileName: (options) =>
        path.join(host.getDefaultLibLocation!(), ts.getDefaultLibFileName(options)),
      fileExists: (file) => host.fileExists(file),
      readFile: (file) => host.readFile(file),
      directoryExists: (folder) => host.directoryExists!(folder),
      getDirectories: (folder) => host.getDirectories!(folder),
      readDirectory: (...parameters) => ts.sys.readDirectory(...parameters),
      realpath: (file) => host.realpath!(file),
      useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
      resolveModuleNameLiterals: (...parameters) => host.resolveModuleNameLiterals!(...parameters),
    },
    sharedDocuments(files),
  );
}

/** The service would parse the standard library and all packages once more, for 100 MB and half a second. */
function sharedDocuments(files: Files): TS.DocumentRegistry {
  const take = (file: string, options: TS.CreateSourceFileOptions | TS.ScriptTarget | undefined) =>
    files.sourceFile(file, options ?? ts.ScriptTarget.ES2022)!;
  return {
    acquireDocument: (file, _settings, _snapshot, _version, _kind, options) => take(file, options),
    updateDocument: (file, _settings, _snapshot, _version, _kind, options) => take(file, options),
    acquireDocumentWithKey: (file, _path, _host, _key, _snapshot, _version, _kind, options) =>
      take(file, options),
    updateDocumentWithKey: (file, _path, _host, _key, _snapshot, _version, _kind, options) =>
      take(file, options),
    getKeyForCompilationSettings: () => 'cells' as TS.DocumentRegistryBucketKey,
    releaseDocument: () => {},
    releaseDocumentWithKey: () => {},
    reportStats: () => '',
  };
}
