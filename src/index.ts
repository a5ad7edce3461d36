// The public interface. Types here name nothing of TensorFlow.js, vega-lite or zod, whose own types would slow
// every notebook cell; `gondwana/engine` has the typed engine. Nothing that is imported here awaits at top level.

// errors and randomness
export {
  describeError,
  GondwanaError,
  InputError,
  RunError,
  StoppedError,
  UsageError,
  type ErrorData,
  type ErrorDetails,
} from './errors.js';
export { createRandom, type Random } from './random.js';

// studies
export { defineStudy, type Study } from './studies/define-study.js';
export { loadStudy, shippedStudies } from './studies/load-study.js';
export { planStudy } from './studies/plan-study.js';
export { runStudy } from './studies/run-study.js';
export { checkStudy, type ArmCheck } from './studies/check-study.js';
export { followStudy } from './studies/follow-study.js';
export {
  studyStatus,
  type RunStatus,
  type StudyStatus,
  type SubmissionStatus,
} from './studies/study-status.js';
export {
  submitStudy,
  type SubmitOptions,
  type SubmittedChunk,
  type SubmittedStudy,
} from './studies/submit-study.js';
export type { ClusterOptions } from './scale-out/cluster-options.js';
export type { RunStateName } from './scale-out/run-states.js';
export type {
  DecoderChoice,
  FailedRun,
  Phase,
  PlannedRun,
  SearchProgress,
  StudyDefinition,
  StudyEvent,
  StudyOutlook,
  StudyPlan,
  StudyResult,
  StudyRunOptions,
  StudySearch,
  StudyStatusOptions,
} from './studies/study.js';

// results
export {
  openStore,
  type DamagedRecord,
  type FailureNote,
  type ResultStore,
  type StoredRecords,
} from './results/store.js';
export { compactStore, readRunScores, type Compaction } from './results/compact.js';
export { toTable } from './results/table.js';
export { toCsv, writeArrow, writeCsv, writeParquet } from './results/export.js';
export { toDanfo, type DanfoFrame } from './results/danfo.js';
export {
  isTrial,
  type EpochRow,
  type ExampleRow,
  type InputCheck,
  type JsonValue,
  type Mode,
  type RunCost,
  type RunDefinition,
  type RunJob,
  type RunRecord,
  type ScoreRow,
  type Settings,
  type TrialIdentity,
  type TrialResult,
} from './results/run-record.js';

// metrics
export {
  CocoMetric,
  type AreaName,
  type CocoMetricOptions,
  type DetectedImage,
  type DetectedObject,
  type TrueObject,
} from './metrics/coco/coco-metric.js';
export {
  detectionConfusion,
  type DetectionConfusion,
  type DetectionConfusionOptions,
} from './metrics/coco/detection-confusion.js';
export {
  detectionCurves,
  type DetectionCurve,
  type DetectionCurves,
  type DetectionCurvesOptions,
} from './metrics/coco/detection-curves.js';
export { maskOutlines, type MaskOutline } from './metrics/coco/mask-outlines.js';
export type { MatchOptions } from './metrics/coco/match-objects.js';
export type { CocoBox } from './metrics/coco/object-overlap.js';
export { polygonMask } from './metrics/coco/polygon-mask.js';
export { maskPixels, runLengthMask, type RunLengthMask } from './metrics/coco/run-length-mask.js';
export { createMetric } from './metrics/create-metric.js';
export type { AddOptions, Metric, MetricOptions, MetricTask } from './metrics/metric.js';
export { isBetter, scoreKinds, type ScoreKind, type ScoreName } from './metrics/score-kinds.js';
export {
  metricWithTrivial,
  summarizeTargets,
  type MetricWithTrivial,
  type TargetSummary,
  type TrivialPredictor,
} from './metrics/trivial-predictors.js';

// detection
export { cocoFolder, type CocoFolderOptions } from './detection/coco-folder.js';
export {
  readCocoJson,
  writeCocoJson,
  writeCocoResults,
  type CocoDataset,
  type CocoImage,
  type CocoObject,
} from './detection/coco-json.js';
export {
  detectionsGeoJson,
  type DetectionPlace,
  type LocatedDetection,
} from './detection/detections-geojson.js';
export { detectWindows, type DetectWindowsOptions } from './detection/detect-windows.js';
export {
  mergeWindows,
  type MergeOptions,
  type PlacedDetection,
  type WindowDetections,
} from './detection/merge-windows.js';
export type { PlacedMask } from './detection/placed-mask.js';
export { detectRaster, type DetectRasterOptions, type RasterDetections } from './studies/detect-raster.js';
export { openDetector, type OpenDetectorOptions, type OpenedDetector } from './studies/open-detector.js';

// statistics
export {
  mean,
  meanInterval,
  pairedDifference,
  standardDeviation,
  standardError,
  type Interval,
  type MeanInterval,
  type PairedDifference,
  type Score,
  type SeedScore,
} from './statistics/summary.js';
export { remarks, type Remark } from './statistics/remarks.js';
export { summaryRows, type SummaryOptions } from './statistics/arms.js';
export type { RunScore } from './results/run-score.js';
export {
  readSubmission,
  writeSubmission,
  type Submission,
  type SubmissionInfo,
  type SubmissionRun,
} from './results/submission.js';
export { submissionFaults, type SubmissionFault } from './results/submission-rules.js';
export {
  importRuns,
  runColumns,
  type FailedRunCell,
  type ImportedRuns,
  type ImportOptions,
  type RunColumns,
} from './results/import-runs.js';
export { recordScores, type RecordScoresOptions } from './statistics/record-scores.js';
export {
  cellStatistics,
  scoreMatrix,
  selectDatasets,
  selectModels,
  type ScoreCell,
  type ScoreMatrix,
  type ScoreMatrixOptions,
  type ScoreWarning,
} from './statistics/score-matrix.js';
export { normalize, scaleLimits, type ScaleLimits, type ScaleLimitsOptions } from './statistics/normalize.js';
export {
  aggregate,
  aggregates,
  interquartileMean,
  median,
  optimalityGap,
  pooledTrimmedMean,
  trimmedMean,
  type Aggregate,
  type AggregateName,
  type AggregateOptions,
} from './statistics/aggregate.js';
export { pandasDraws, randomDraws, type DrawnCell, type Draws } from './statistics/draws.js';
export { bootstrap, type BootstrapOptions, type Resamples } from './statistics/bootstrap.js';
export { bootstrapDatasets, type DatasetBootstrapOptions } from './statistics/bootstrap-datasets.js';
export { resampledMatrices } from './statistics/resampled-matrices.js';
export {
  percentileInterval,
  summarizeResamples,
  type ResampleSummary,
} from './statistics/resample-summary.js';
export { averageRanks, ranks, rankTable, topCounts, type RankOptions } from './statistics/ranks.js';
export { rankGroups, type RankGroups } from './statistics/rank-groups.js';
export { ranking, type RankingOptions, type RankingRow } from './statistics/ranking.js';
export { capabilityRankings, type Capabilities, type CapabilityRanking } from './statistics/capabilities.js';
export { probabilityOfImprovement, winRates } from './statistics/improvement.js';
export { kendall, rankingChange, type KendallComparison, type RankingChange } from './statistics/kendall.js';
export {
  cohensD,
  hedgesG,
  independentTTest,
  pairedTTest,
  type LevelOption,
  type TTest,
} from './statistics/paired-tests.js';
export { wilcoxonSignedRank, type SignedRankTest } from './statistics/wilcoxon.js';
export { adjustPValues, type Correction } from './statistics/corrections.js';
export { datasetEffects, pairBySeed, type DatasetEffect } from './statistics/effects.js';
export {
  discriminativity,
  type Discriminativity,
  type DiscriminativityOptions,
} from './statistics/discriminativity.js';
export { relativeConvergence } from './statistics/convergence-time.js';
export { performanceProfile } from './statistics/performance-profile.js';
export { gaussianDensity } from './statistics/density.js';
export { quantile, type QuantileMethod } from './statistics/quantile.js';
export { isOnCostFront, type CostPoint } from './statistics/cost.js';

// what the papers published
export { published } from './published/published.js';
export type { PublishedComparison } from './published/compare-published.js';
export type { PublishedEntry, PublishedRow } from './published/published-rows.js';
export {
  leaderboard,
  type Leaderboard,
  type LeaderboardOptions,
  type LeaderboardRanking,
  type LeaderboardRow,
  type RankedRun,
} from './published/leaderboard/leaderboard.js';
export { readRunSources } from './published/leaderboard/read-runs.js';
export type { LeaderboardRun, RunSource } from './published/leaderboard/leaderboard-run.js';
export { checkRuns, type Shortfall, type SourceCheck } from './published/leaderboard/check-runs.js';
export type {
  PublishedKind,
  PublishedManifest,
  PublishedSource,
  PublishedTableManifest,
} from './manifests/published-manifest.js';

// what cells show and call: globals in the kernel, imported everywhere else
export { display, type Display, type ImageOptions, type PngOptions } from './display/show.js';
export type { DisplayHandle } from './display/handle.js';
export { progress, type LoopOptions, type Progress, type ProgressBar } from './display/progress-loop.js';
export { clearOutput, input, kernel, type InputOptions, type Kernel } from './display/kernel.js';
export type { Comm, CommEvent, CommExtras, Comms, Widget, WidgetDefinition } from './display/comms.js';
export { setDisplaySink } from './display/active-sink.js';
export type { DisplaySink, OpenOutput } from './display/sink.js';
export type { MimeBundle } from './display/mime.js';
export type { ProgressOptions, ProgressView } from './display/progress.js';
export type { ChartSpec } from './display/chart-output.js';
export type { TableOptions } from './display/table.js';

// report
export { charts } from './report/charts/index.js';
export { chartRows, type ChartRow } from './report/charts/chart.js';
export type { CostRow } from './report/charts/cost.js';
export type { LabelFractionRow } from './report/charts/label-fractions.js';
export type { ConfusionChartInput } from './report/charts/matrices.js';
export type { PrecisionRecallOptions } from './report/charts/precision-recall.js';
export { placesChart } from './report/charts/places.js';
export {
  drawDetections,
  type DrawDetectionsOptions,
  type DrawnDetections,
} from './report/detections/draw-detections.js';
export {
  previewDataset,
  type DatasetPreview,
  type PreviewOptions,
  type SamplePreview,
} from './report/preview/preview-dataset.js';
export { writePreview, type PreviewTarget } from './report/preview/write-preview.js';
export { renderChart } from './report/render-chart.js';
export { writeReport } from './report/write-report.js';
export { writeLeaderboard } from './report/leaderboard/write-leaderboard.js';

// datasets, preprocessing, encoders and the engine
export {
  defineDataset,
  openDataset,
  type Dataset,
  type DatasetDefinition,
  type DatasetParts,
  type Entry,
  type OpenOptions,
} from './datasets/dataset.js';
export type { DatasetIo } from './datasets/dataset-io.js';
export { sampleImage, type ImageParts } from './datasets/image.js';
export {
  loadDataset,
  type LoadedDataset,
  type LoadedSample,
  type LoadOptions,
} from './datasets/loaded-dataset.js';
export type {
  ImageNormalization,
  Sample,
  SampleImage,
  SampleObject,
  SampleParts,
  Target,
} from './datasets/sample.js';
export {
  checkDataset,
  type CheckedSplit,
  type CheckOptions,
  type DatasetCheck,
} from './datasets/check/check-dataset.js';
export type { BandComparison, StatisticsBasis } from './datasets/check/compare-statistics.js';
export type { CheckFinding, Severity } from './datasets/check/finding.js';
export {
  datasetStatistics,
  type DatasetStatistics,
  type DatasetStatisticsOptions,
} from './datasets/statistics/dataset-statistics.js';
export type { BandSummary } from './datasets/statistics/band-totals.js';
export type { ClassCount } from './datasets/statistics/label-totals.js';
export type { DamagedSample, SampleRange } from './datasets/statistics/walk-samples.js';
export {
  datasetPlaces,
  type DatasetPlaces,
  type PlacesOptions,
  type SamplePlace,
} from './datasets/places/dataset-places.js';
export {
  datasetSource,
  getDataset,
  type DatasetSource,
  type FetchedDataset,
  type GetDatasetOptions,
} from './datasets/get-dataset.js';
export type { DownloadedFile } from './io/download/download.js';
export { trainSubset, type TrainSubsetOptions } from './datasets/splits/train-subset.js';
export { checkedInput, describeSteps, preprocess, restoreSample } from './preprocessing/preprocess.js';
export type {
  InputWarning,
  OptionValue,
  PreprocessingStep,
  PreprocessOptions,
  Size,
  StepContext,
  StepOptions,
} from './preprocessing/step.js';
export type { InputRow } from './preprocessing/input-check.js';
export {
  minMax,
  noNormalization,
  zScore,
  type MinMaxOptions,
  type NormalizerOptions,
  type ZScoreOptions,
} from './preprocessing/normalizers.js';
export { percentileClip, type PercentileClipOptions } from './preprocessing/percentile-clip.js';
export {
  geobench2Normalize,
  type ClipLimits,
  type Geobench2Normalizer,
  type Geobench2Options,
  type SecondStage,
} from './preprocessing/geobench2-normalizers.js';
export {
  measureStatistics,
  statisticsOf,
  type BandNumbers,
  type MeasuredStatistics,
  type ModalityStatistics,
  type StatisticsOptions,
  type StatisticsTable,
} from './preprocessing/statistics.js';
export { fillInvalid, type FillInvalidOptions } from './preprocessing/fill-invalid.js';
export { matchBands, type MatchBandsOptions, type WantedBand } from './preprocessing/match-bands.js';
export type { Wavelength } from './sensors/wavelength.js';
export { sarAsRgb, type SarAsRgbOptions } from './preprocessing/sar-as-rgb.js';
export { resizeTo, type ResizeOptions } from './preprocessing/resize.js';
export type { ResamplingKind } from './preprocessing/resample.js';
export { matchResolution, type MatchResolutionOptions } from './preprocessing/match-resolution.js';
export {
  centerCrop,
  randomCrop,
  tileSample,
  type CropOptions,
  type TileOptions,
} from './preprocessing/crop.js';
export { focusCrop, type FocusCropOptions } from './preprocessing/focus-crop.js';
export { importanceCrop, type ImportanceCropOptions } from './preprocessing/importance-crop.js';
export { randomResizedCrop, type RandomResizedCropOptions } from './preprocessing/random-resized-crop.js';
export { padTo, type PadOptions } from './preprocessing/pad.js';
export type { PadMode } from './preprocessing/grid-move.js';
export {
  flipHorizontal,
  flipVertical,
  quarterTurns,
  type FlipOptions,
  type QuarterTurnsOptions,
} from './preprocessing/flip.js';
export { padDates, selectDates, type SelectDatesOptions } from './preprocessing/select-dates.js';
export { restoreTarget, targetZScore, type TargetZScoreOptions } from './preprocessing/target-z-score.js';
export {
  imageBatch,
  type ImageBatch,
  type PredictBatch,
  type PredictionBatch,
} from './evaluation/prediction-grid.js';
export {
  hyperbandPruner,
  medianPruner,
  type HyperbandOptions,
  type MedianPrunerOptions,
  type Pruner,
} from './training/search/pruners.js';
export { gridSampler, randomSampler, type SearchSampler } from './training/search/samplers.js';
export {
  search,
  type RunningTrial,
  type SearchOptions,
  type SearchResult,
} from './training/search/search.js';
export type {
  CategoricalDimension,
  Choice,
  SearchDimension,
  FloatDimension,
  IntDimension,
  SearchSpace,
  TrialParameters,
} from './training/search/search-space.js';
export { tpeSampler, type TpeOptions } from './training/search/tpe.js';
export { bestTrial, type SearchDirection, type TrialReport, type Trial } from './training/search/trial.js';
export { readSearchManifest, searchFor, type SearchManifest } from './manifests/search-manifest.js';
export { slideWindows, type SlideOptions } from './evaluation/slide-windows.js';
export { tiledInference, type TiledInferenceOptions } from './evaluation/tiled-inference.js';
export {
  openEncoder,
  type Encoder,
  type EncodeOptions,
  type EncodedMap,
  type OpenEncoderOptions,
} from './encoders/open-encoder.js';
export type { EncoderSample } from './encoders/encoder-sample.js';
export type { BandAdaptation, BandOptions, NewBands } from './encoders/band-options.js';
export type { OwnDecoder } from './decoders/own-decoder.js';
export type { OwnEncoder } from './encoders/own-encoder.js';
export { embedSamples, type Embeddings, type EmbedOptions } from './evaluation/embed-samples.js';
export { readEmbeddings, writeEmbeddings } from './evaluation/embeddings-file.js';
export { encoderSteps, type EncoderStepsOptions } from './training/encoder-steps.js';
export { knnScores, knnValues, type KnnOptions, type ProbeData } from './evaluation/probes/knn.js';
export { linearProbe, type LinearProbe, type LinearProbeOptions } from './evaluation/probes/linear-probe.js';
export { ridgeProbe, type RidgeProbeOptions, type ValueData } from './evaluation/probes/ridge-probe.js';
export {
  probeEmbeddings,
  type ProbeOptions,
  type ProbeResult,
} from './evaluation/probes/probe-embeddings.js';
export { encoderSize, type EncoderSize, type LayerRow } from './encoders/encoder-size.js';
export { modelCost } from './evaluation/model-cost.js';
export type { EncoderDescription, LayerCost, ModelCost, ModelCostOptions } from './evaluation/cost-types.js';
export type { OperationCount } from './engine/shapes/operation-count.js';
export type { FeatureSpec } from './encoders/feature-spec.js';
export {
  checkWeights,
  encodeImage,
  type EncoderWeightsOptions,
  type FeatureMap,
  type WeightsCheck,
} from './encoders/encode-image.js';
export { readRaster } from './io/read-raster.js';
export {
  openGeoTiff,
  openHdf5,
  openNpz,
  openParquet,
  openTaco,
  openZarr,
  readCsv,
  readGeoJson,
  readGeoTiff,
  readGeoTiffs,
  readJpeg,
  readNpy,
  readParquet,
  readPng,
} from './io/readers.js';
export type { CsvOptions, CsvTable } from './io/csv.js';
export type { GeoJsonFeature, GeoJsonFile } from './io/geojson.js';
export type { GeoRaster, GeoTiffFile, GeoTiffInfo, RasterPlace, ReadGeoTiffOptions } from './io/geotiff.js';
export type { ReadManyOptions } from './io/geotiff/read-many.js';
export type { Hdf5Dataset, Hdf5Entry, Hdf5File } from './io/hdf5/hdf5-file.js';
export type { NpyArray } from './io/npy.js';
export type { NpzFile } from './io/npz.js';
export type {
  ParquetColumn,
  ParquetFile,
  ParquetReadOptions,
  ParquetValue,
} from './io/parquet/parquet-file.js';
export type { Selection } from './io/selection.js';
export type { TacoFile, TacoItem } from './io/taco/taco-file.js';
export type { ZarrArray, ZarrMetadata } from './io/zarr/zarr-array.js';
export type { Window } from './io/window.js';
export type { LabelArray, PixelArray, RasterArray } from './io/raster.js';
export { readBenchmarkManifest, type BenchmarkManifest } from './manifests/benchmark-manifest.js';
export { readDatasetManifest, type DatasetManifest, type ReleaseFile } from './manifests/dataset-manifest.js';
export type { OwnManifest } from './manifests/own-manifest.js';
export { readEncoderManifest, type EncoderManifest } from './manifests/encoder-manifest.js';
export { readProtocolManifest, type Protocol, type ProtocolManifest } from './manifests/protocol-manifest.js';
export { listManifests } from './manifests/read-manifest.js';
export type { EngineInfo, EngineName } from './engine/engine.js';
