import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';
import * as gondwana from '../../src/index.js';
import { root } from '../support/needs.js';

/** Names that `index.ts` exports as types alone. */
function exportedTypes(): string[] {
  const text = readFileSync(path.join(root, 'src', 'index.ts'), 'utf8');
  const source = ts.createSourceFile('index.ts', text, ts.ScriptTarget.ES2022, true);
  return source.statements.flatMap((statement) => {
    if (
      !ts.isExportDeclaration(statement) ||
      !statement.exportClause ||
      !ts.isNamedExports(statement.exportClause)
    )
      return [];
    return statement.exportClause.elements
      .filter((element) => statement.isTypeOnly || element.isTypeOnly)
      .map((element) => element.name.text);
  });
}

// A name that goes, or changes its meaning, breaks users: it needs its line in CHANGELOG.md.
describe('the exports of index.ts', () => {
  it('are these values', () => {
    expect(Object.keys(gondwana).sort()).toEqual([
      'GondwanaError',
      'InputError',
      'RunError',
      'StoppedError',
      'UsageError',
      'charts',
      'checkStudy',
      'checkWeights',
      'clearOutput',
      'createRandom',
      'defineDataset',
      'defineStudy',
      'describeError',
      'display',
      'encodeImage',
      'followStudy',
      'input',
      'kernel',
      'listManifests',
      'loadDataset',
      'loadStudy',
      'mean',
      'meanInterval',
      'openDataset',
      'openStore',
      'pairedDifference',
      'planStudy',
      'progress',
      'readBenchmarkManifest',
      'readDatasetManifest',
      'readEncoderManifest',
      'readProtocolManifest',
      'readRaster',
      'remarks',
      'renderChart',
      'runStudy',
      'setDisplaySink',
      'shippedStudies',
      'standardDeviation',
      'standardError',
      'summaryRows',
      'toCsv',
      'toDanfo',
      'toTable',
      'trainSubset',
      'writeCsv',
      'writeParquet',
      'writeReport',
    ]);
  });

  it('are these types', () => {
    expect(exportedTypes().sort()).toEqual([
      'ArmCheck',
      'BenchmarkManifest',
      'ChartSpec',
      'Comm',
      'CommEvent',
      'CommExtras',
      'Comms',
      'DamagedRecord',
      'DanfoFrame',
      'Dataset',
      'DatasetDefinition',
      'DatasetIo',
      'DatasetManifest',
      'DatasetParts',
      'Display',
      'DisplayHandle',
      'DisplaySink',
      'EncoderManifest',
      'EncoderWeightsOptions',
      'EngineInfo',
      'EngineName',
      'Entry',
      'EpochRow',
      'ErrorData',
      'ErrorDetails',
      'ExampleRow',
      'FailedRun',
      'FeatureMap',
      'ImageOptions',
      'InputCheck',
      'InputOptions',
      'Interval',
      'JsonValue',
      'Kernel',
      'LabelArray',
      'LoadOptions',
      'LoadedDataset',
      'LoadedSample',
      'LoopOptions',
      'MeanInterval',
      'MimeBundle',
      'Mode',
      'OpenOptions',
      'OpenOutput',
      'OwnManifest',
      'PairedDifference',
      'Phase',
      'PixelArray',
      'PlannedRun',
      'PngOptions',
      'Progress',
      'ProgressBar',
      'ProgressOptions',
      'ProgressView',
      'Protocol',
      'ProtocolManifest',
      'Random',
      'RasterArray',
      'Remark',
      'ResultStore',
      'RunCost',
      'RunDefinition',
      'RunRecord',
      'Sample',
      'SampleImage',
      'SampleObject',
      'SampleParts',
      'Score',
      'ScoreRow',
      'SeedScore',
      'Settings',
      'StoredRecords',
      'Study',
      'StudyDefinition',
      'StudyEvent',
      'StudyPlan',
      'StudyResult',
      'StudyRunOptions',
      'SummaryOptions',
      'TableOptions',
      'Target',
      'TrainSubsetOptions',
      'WeightsCheck',
      'Widget',
      'WidgetDefinition',
    ]);
  });
});
