import { Command as Commander } from 'commander';
import { withClusterOptions } from './cluster-arguments.js';
import type { Command } from './command.js';

/** A command that was asked for: its function is loaded only when it runs. */
export interface Chosen {
  readonly load: () => Promise<Command>;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** Adds a command that does something; its function is loaded when it is chosen. */
type Leaf = (parent: Commander, form: string, summary: string, load: () => Promise<Command>) => Commander;
/** Adds a word that other commands follow. */
type Group = (name: string, summary: string) => Commander;

/**
 * All commands with their arguments and options. Only this file is loaded to read a command line;
 * what a command needs is imported when it is chosen.
 */
export function buildProgram(version: string, choose: (chosen: Chosen) => void): Commander {
  const program = new Commander('gondwana')
    .description('Run, audit and ablate benchmarks of geospatial foundation models.')
    .version(version)
    .exitOverride();

  const leaf: Leaf = (parent, form, summary, load) =>
    parent
      .command(form)
      .description(summary)
      .option('--json', 'one JSON document on stdout, all else on stderr')
      .option(
        '--plugin <file>',
        'adds the datasets, encoders and decoders that a .ts or .mjs file exports',
        addValue,
      )
      .action(function (this: Commander) {
        choose({ load, args: this.args, options: this.opts() });
      });
  const group: Group = (name, summary) => program.command(name).description(summary);

  leaf(
    program,
    'doctor',
    'engine, device, threads, versions, and what is missing with the line that mends it',
    async () => (await import('./commands/doctor.js')).doctor,
  );

  leaf(
    program,
    'inspect <file>',
    'what a raster, HDF5, NPY, Zarr, Parquet, TACO, table or weight file is, and what is in it',
    async () => (await import('./commands/inspect.js')).inspect,
  ).option('--no-statistics', 'the header alone: no numbers are read');

  const engine = group('engine', 'the native TensorFlow engine');
  leaf(
    engine,
    'install',
    'download TensorFlow and compile its binding',
    async () => (await import('./commands/engine-install.js')).engineInstall,
  )
    .option('--gpu', 'the engine for NVIDIA GPUs')
    .option('--force', 'also where one is installed');

  addStudyCommands(program, leaf);
  addNotebookCommands(group, leaf);

  addDataCommands(group, leaf);

  const models = group('models', 'encoders and their weights');
  leaf(models, 'list', 'all encoders', async () => (await import('./commands/models.js')).modelsList);
  leaf(
    models,
    'info <id>',
    'input, features, weights, licence, layers',
    async () => (await import('./commands/models.js')).modelsInfo,
  )
    .option('--cost', 'multiply–adds and parameters of one forward pass, counted from shapes')
    .option('--size <pixels>', 'side of the image, for --cost')
    .option('--bands <count>', 'bands of the first modality, for --cost')
    .option('--dates <count>', 'dates of the series, for --cost')
    .option('--decoder <id>', 'a decoder behind the encoder, for --cost')
    .option('--fusion <id>', 'what joins several dates in front of the decoder, for --cost');
  leaf(
    models,
    'check <id> <file>',
    'that a weight file fits the encoder, name by name',
    async () => (await import('./commands/models.js')).modelsCheck,
  );
  leaf(
    models,
    'get <id>',
    'download and check the weights',
    async () => (await import('./commands/models.js')).modelsGet,
  );

  opened(
    leaf(
      program,
      'embed <id>',
      "one vector a sample by an encoder: of a dataset's folder, or of rasters",
      async () => (await import('./commands/embed.js')).embed,
    ),
  )
    .option(
      '--weights <file>',
      'the checkpoint, or "random" (default: what the manifest names, where it can be had)',
    )
    .option('--input <path>', "a dataset's folder, a folder of rasters, or one raster")
    .option('--out <file>', 'what to write: .npy with ids and labels as JSON beside it, or .parquet')
    .option('--dataset <id>', 'which dataset the folder is')
    .option('--split <name>', 'only this split of the dataset (default: all)')
    .option(
      '--encoder-bands <names>',
      'which bands the encoder shall take, where others than in its manifest; what those of an ONNX file are',
    )
    .option('--bands <names>', 'what the bands of rasters are, in the order of the files, e.g. B4,B3,B2')
    .option('--date <YYYY-MM-DD>', 'when rasters were taken, for encoders that need dates')
    .option('--gsd <metres>', "a pixel's side, for encoders that need it (default: what the dataset says)")
    .option(
      '--modality <name=from>',
      "which modality of the dataset is the encoder's, e.g. optical=s2",
      addValue,
    )
    .option(
      '--normalize <how>',
      'dataset, model or none (default: dataset; of rasters model, if it is known)',
    )
    .option('--precision <name>', 'of the factors of linear layers: float32 or bfloat16 (default: float32)')
    .option(
      '--size <pixels>',
      'side to which images are resized, or "keep" (default: the size the encoder was trained on)',
    )
    .option('--limit <count>', 'the first samples of each split only');
  leaf(
    program,
    'probe <train> <test>',
    'how well classes or values can be told by embeddings: nearest neighbours and a linear model',
    async () => (await import('./commands/probe.js')).probe,
  )
    .option('--k <count>', 'neighbours that vote', '200')
    .option('--temperature <number>', 'of their votes', '0.1')
    .option('--l2 <number>', 'what holds back the weights of the linear classifier', '1e-4')
    .option('--ridge <number>', 'what holds back the weights of the regression', '1');

  leaf(
    program,
    'detect <store>',
    "what a run's detector finds on a GeoTIFF of any size, as polygons in its coordinate system",
    async () => (await import('./commands/detect.js')).detect,
  )
    .option('--run <id>', 'a finished run of a study that keeps weights, or the first digits of its id')
    .option('--input <file>', 'a GeoTIFF with the bands and numbers of the dataset; read window by window')
    .option('--out <file>', 'the GeoJSON file to write')
    .option('--min-score <number>', 'least score (default: 0.5)')
    .option('--window <pixels>', "side of a window (default: that of the run's inputs, else 512)")
    .option('--overlap <pixels>', 'what neighbouring windows share at least (default: a quarter of a window)')
    .option('--bands <names>', 'what the bands of the file are, in its order, e.g. red,green,blue');

  addPublishedCommands(program, group, leaf);

  forEachCommand(program, (command) => command.exitOverride().configureOutput({ writeErr: () => undefined }));
  return program;
}

function addStudyCommands(program: Commander, leaf: Leaf): void {
  const run = leaf(
    program,
    'run <study>',
    'run a study: the id of a shipped one, or a .ts or .mjs file with a default export',
    async () => (await import('./commands/run.js')).run,
  )
    .option('--store <dir>', 'folder of the study (default: results/NAME)')
    .option('--report <file>', 'where the HTML report goes (default: report/index.html in the store)')
    .option('--quick', 'few seeds and epochs')
    .option('--check', 'one batch of every arm end to end, nothing kept')
    .option('--dry-run', 'the plan and its cost, nothing run')
    .option(
      '--on <place>',
      'where the runs are computed: local, slurm, or script, which you submit (default: local)',
    );
  withClusterOptions(run);
  leaf(
    program,
    'status <store>',
    'what is done, at work, waiting, failed and missing',
    async () => (await import('./commands/status.js')).status,
  )
    .option('--watch', 'again every few seconds, until nothing is on its way any more')
    .option('--failed', 'the failed runs with their reasons and logs');
  const resume = leaf(
    program,
    'resume <store>',
    'run what a study still lacks, where it was run before',
    async () => (await import('./commands/resume.js')).resume,
  )
    .option('--report <file>', 'where the HTML report goes (default: report/index.html in the store)')
    .option('--retry-failed', 'also runs that failed')
    .option('--on <place>', 'local, slurm or script (default: as the study was submitted last)')
    .option('--dry-run', 'what would be submitted, nothing sent');
  withClusterOptions(resume);
  leaf(
    program,
    'cancel <store>',
    'end what a cluster has of a study; what is finished stays',
    async () => (await import('./commands/cancel.js')).cancel,
  );
  leaf(
    program,
    'worker <submission> [index]',
    'one task of a submission; the cluster starts this',
    async () => (await import('./commands/worker.js')).worker,
  ).option('--code <file>', 'a plugin whose failure is noted as that of the runs', addValue);
  leaf(
    program,
    'compact <store>',
    'put the records of a finished store together, so that many thousand are read fast',
    async () => (await import('./commands/compact.js')).compact,
  );
  leaf(
    program,
    'report <store>',
    'build the HTML report from the records of a store',
    async () => (await import('./commands/report.js')).report,
  ).option('--out <file>', 'file to write (default: report/index.html in the store)');
}

function addPublishedCommands(program: Commander, group: Group, leaf: Leaf): void {
  const published = group('published', 'tables of the papers, and the runs that were released with them');
  leaf(published, 'list', 'all tables', async () => (await import('./commands/published.js')).publishedList);
  leaf(
    published,
    'show <table>',
    'the rows of a table, its source, and what is wrong or loose in it',
    async () => (await import('./commands/published.js')).publishedShow,
  );
  leaf(
    published,
    'compare <store>',
    'runs of a store beside the rows of a table, like with like only, and why others are not',
    async () => (await import('./commands/published.js')).publishedCompare,
  ).option('--with <table>', 'the table, e.g. pangaea-table-5');
  leaf(
    program,
    'leaderboard [store...]',
    "GEO-Bench-2's released runs and your own (stores, tables, submissions), ranked, and what yours lack",
    async () => (await import('./commands/leaderboard.js')).leaderboardCommand,
  )
    .option(
      '--capability <name>',
      'what is ranked, e.g. pixel-wise, all, or NAME=dataset,dataset (default: core)',
    )
    .option('--html <file>', 'a page of it, which needs no network')
    .option(
      '--released <set>',
      'which released runs: paper, full, multimodal, frozen or none (default: paper)',
    )
    .option('--check', 'exit 1 where a set of runs lacks datasets, seeds or trials');
}

/** How a dataset is opened. */
const opened = (command: Commander): Commander =>
  command
    .option(
      '--mode <mode>',
      'corrected, or as-published with every known fault of the reference',
      'corrected',
    )
    .option('--fault <id=on|off>', 'a known fault by its id, over what --mode says', addValue)
    .option('--parameter <name=value>', 'a parameter of the dataset; JSON, else text', addValue);

function addDataCommands(group: Group, leaf: Leaf): void {
  const data = group('data', 'datasets');
  leaf(data, 'list', 'all datasets', async () => (await import('./commands/data.js')).dataList);
  leaf(
    data,
    'info <id>',
    'bands, classes, splits, licence, source',
    async () => (await import('./commands/data.js')).dataInfo,
  );
  opened(
    leaf(
      data,
      'check <id> <root>',
      'compare a folder with what is known of the dataset',
      async () => (await import('./commands/data-check.js')).dataCheck,
    ),
  )
    .option('--split <name>', 'only this split (default: all)')
    .option('--limit <count>', 'samples a split, spread evenly over its list (default: 100)')
    .option('--all', 'every sample, and the sha256 of the release');
  opened(
    leaf(
      data,
      'stats <id> <root>',
      'numbers of the bands and shares of the classes, measured',
      async () => (await import('./commands/data-stats.js')).dataStats,
    ),
  )
    .option('--split <name>', 'the split (default: train)')
    .option('--limit <count>', 'samples, spread evenly over the split (default: 500)')
    .option('--all', 'every sample');
  opened(
    leaf(
      data,
      'preview <id> <root>',
      'draw samples, and a map of where they lie',
      async () => (await import('./commands/data-preview.js')).dataPreview,
    ),
  )
    .option('--split <name>', 'the split (default: train)')
    .option('--sample <id>', 'this sample; may come again', addValue)
    .option('--count <count>', 'samples, spread evenly over the split (default: 4)')
    .option(
      '--out <file|folder>',
      'FILE.html, or a folder for the page and a PNG a sample (default: ID-preview.html)',
    );
  leaf(
    data,
    'get <id>',
    'where the data is to be had; with --out, or where a package brings it, the download',
    async () => (await import('./commands/data-get.js')).dataGet,
  ).option('--out <dir>', 'folder to download into; what is there already is completed');
}

function addNotebookCommands(group: Group, leaf: Leaf): void {
  const kernel = group('kernel', 'the notebook kernel in Jupyter');
  const places = (command: Commander): Commander =>
    command
      .option('--user', "in this user's data folder of Jupyter (default)")
      .option('--sys-prefix', 'in the active Python environment')
      .option('--prefix <dir>', 'in DIR/share/jupyter/kernels')
      .option('--name <name>', 'name of the kernel', 'gondwana');
  places(
    leaf(
      kernel,
      'install',
      'let Jupyter find the kernel, from every folder',
      async () => (await import('./commands/kernel-install.js')).kernelInstall,
    ),
  ).option('--display-name <text>', 'name in the launcher (default: Gondwana (TypeScript))');
  places(
    leaf(
      kernel,
      'uninstall',
      'take it out of Jupyter again',
      async () => (await import('./commands/kernel-uninstall.js')).kernelUninstall,
    ),
  );

  const notebook = group('notebook', 'notebooks without a browser');
  leaf(
    notebook,
    'run <file>',
    'execute a notebook and write it with its outputs; needs no Python',
    async () => (await import('./commands/notebook-run.js')).notebookRun,
  )
    .option(
      '-p, --parameter <name> <value>',
      'a value for a name of the cell tagged "parameters"; JSON, else text',
      addValue,
    )
    .option('--to <format>', 'ipynb, html or md (default: by the ending of --out, else ipynb)')
    .option('--out <file>', 'file to write (default: NAME.run.ipynb, NAME.html or NAME.md)')
    .option('--kernel <name>', 'another kernel than the one the notebook names')
    .option('--timeout <seconds>', 'interrupt a cell that takes longer')
    .option('--allow-errors', 'go on after a cell that fails');
  leaf(
    notebook,
    'new [template]',
    'a notebook to begin with; without a template, the list of them',
    async () => (await import('./commands/notebook-new.js')).notebookNew,
  )
    .option('--out <file>', 'file to write (default: TEMPLATE.ipynb)')
    .option('--force', 'also where the file exists');
}

/** An option that may come again keeps all its values, as one JSON text. */
const addValue = (value: string, earlier: string | undefined): string =>
  JSON.stringify([...(earlier ? (JSON.parse(earlier) as string[]) : []), value]);

/** Visits the program and all its commands. */
export function forEachCommand(program: Commander, visit: (command: Commander) => void): void {
  visit(program);
  for (const command of program.commands) forEachCommand(command, visit);
}

/** `engine install`, `run`, …: every command as it is typed. */
export function commandNames(program: Commander, prefix = ''): string[] {
  return program.commands.flatMap((command) =>
    command.commands.length > 0
      ? commandNames(command, `${prefix}${command.name()} `)
      : [`${prefix}${command.name()}`],
  );
}
