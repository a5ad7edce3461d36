import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { root } from './needs.js';

/** What tools/lib/slurm-cluster.mjs starts. */
export interface Cluster {
  readonly folder: string;
  /** How Slurm's programs find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly nodes: readonly string[];
  ask(program: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string };
  isUp(): boolean;
  startNode(name: string): void;
  stopController(): Promise<void>;
  restartController(): Promise<void>;
  kill(daemon: string): void;
  signal(daemon: string, signal: NodeJS.Signals): void;
  /** Begins tasks that were put back at once, which Slurm does after two minutes. */
  hurry(jobs: readonly string[]): void;
  stop(): Promise<void>;
}

interface Tool {
  startCluster(folder: string, options?: Readonly<Record<string, unknown>>): Promise<Cluster>;
  until(isTrue: () => boolean | Promise<boolean>, seconds: number): Promise<void>;
  canLimitMemory(): boolean;
}

const tool = pathToFileURL(path.join(root, 'tools/lib/slurm-cluster.mjs')).href;

export const clusterTool = (): Promise<Tool> => import(tool) as Promise<Tool>;
