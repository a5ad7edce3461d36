import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compiledFile } from '../../compiled.js';
import { errorFromData, RunError } from '../../errors.js';
import { messageOf } from '../file-errors.js';
import type { DecodeAnswer, DecodeJob } from './decode-protocol.js';
import type { GeoRaster } from './geo-raster.js';

/** Threads at most, however many processors there are: reading is soon bound by the disk. */
const MAX_THREADS = 8;
/** A thread without work ends after so long, in ms: it holds tens of MB. */
const IDLE_MS = 10_000;

/** Threads that are used unless a caller asks for fewer. */
export const defaultThreads = (): number => Math.min(availableParallelism(), MAX_THREADS);

interface Task {
  readonly job: DecodeJob;
  readonly resolve: (raster: GeoRaster) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads that decode rasters; each works on one job at a time, further jobs wait in line. */
class DecodePool {
  private readonly idle: Thread[] = [];
  private readonly waiting: Task[] = [];
  private running = 0;

  run(job: DecodeJob): Promise<GeoRaster> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    const task = this.waiting[0];
    if (!task || (this.idle.length === 0 && this.running >= defaultThreads())) return;
    this.waiting.shift();
    const thread = this.idle.pop() ?? new Thread((ended) => this.forget(ended));
    this.running++;
    thread.run(task, (isAlive) => {
      this.running--;
      if (isAlive) this.idle.push(thread);
      this.next();
    });
  }

  private forget(thread: Thread): void {
    const place = this.idle.indexOf(thread);
    if (place >= 0) this.idle.splice(place, 1);
  }
}

class Thread {
  private readonly worker = new Worker(compiledFile('io/geotiff/decode-worker.js'), {
    workerData: {}, // the package geotiff reads it on import and fails without
    execArgv: [],
  });
  private task: Task | undefined;
  private done: ((isAlive: boolean) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param onEnd called when the thread takes no more jobs */
  constructor(private readonly onEnd: (thread: Thread) => void) {
    this.worker.unref();
    this.worker.on('message', (answer: DecodeAnswer) => {
      const { task } = this;
      this.finish(true);
      if ('raster' in answer) task?.resolve(answer.raster);
      else task?.reject(errorFromData(answer.error));
    });
    const fail = (cause: unknown): void => {
      const { task } = this;
      onEnd(this);
      this.finish(false);
      task?.reject(
        new RunError('READ_FAILED', `The thread that decodes rasters ended: ${messageOf(cause)}.`, {
          hint: 'Read fewer or smaller rasters at once; where memory is short, read windows.',
          cause,
        }),
      );
    };
    this.worker.on('error', fail);
    this.worker.on('exit', (code) => fail(new Error(`exit code ${code}`)));
  }

  run(task: Task, done: (isAlive: boolean) => void): void {
    clearTimeout(this.timer);
    this.task = task;
    this.done = done;
    this.worker.ref();
    const { spare } = task.job;
    this.worker.postMessage(task.job, spare ? [spare] : []);
  }

  private finish(isAlive: boolean): void {
    const { done } = this;
    this.task = undefined;
    this.done = undefined;
    clearTimeout(this.timer);
    if (isAlive) {
      this.worker.unref();
      this.timer = setTimeout(() => {
        this.onEnd(this);
        void this.worker.terminate();
      }, IDLE_MS).unref();
    }
    done?.(isAlive);
  }
}

/** All reads of the process share the threads. */
export const decodePool = new DecodePool();
