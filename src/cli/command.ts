import type { Notices } from './notices.js';

/** What a command is given beside its own arguments. */
export interface CommandContext {
  /** One document goes to stdout, all else to stderr. */
  readonly json: boolean;
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Further signals and the deadline after the first are left to the command, which ends by itself. */
  readonly endsByItself: () => void;
  /** For progress and notices; never results. */
  readonly stderr: NodeJS.WriteStream;
  /** Lines that come in between, such as that of Ctrl-C; a command that draws takes them over. */
  readonly notices: Notices;
}

/** What a command hands back; printing is left to `main`. */
export interface CommandResult {
  /** The document of `--json`. */
  readonly document: unknown;
  /** The same for a person, without the last line break. */
  readonly text: string;
  /** 0 unless a check or a run failed. */
  readonly exitCode?: number;
}

/** Options by camel-case name, as typed on the command line. */
export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** One command; `args` are its positional arguments in order. */
export type Command = (
  context: CommandContext,
  args: readonly string[],
  options: Options,
) => Promise<CommandResult>;

/** A text option, or undefined where it was not given. */
export const textOption = (options: Options, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};
