import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { InputError } from '../../errors.js';
import { writeFileAtomic } from '../../io/atomic-file.js';
import { writeError } from '../../io/file-errors.js';
import { makeFolder } from '../../io/make-folder.js';
import { packageVersion } from '../../version.js';
import { ownKernels } from './kernel-spec.js';
import type { KernelPlace } from './place.js';

/** Content of a kernel.json. */
interface KernelJson {
  readonly argv: readonly string[];
  readonly display_name: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const SPEC_FILE = 'kernel.json';
const isLogo = (name: string): boolean => /^logo-[\w-]+\.(png|svg)$/.test(name);

export interface InstalledKernel extends KernelPlace {
  readonly displayName: string;
  /** True where one of ours was there before. */
  readonly replaced: boolean;
}

/**
 * Writes a specification that names this Node and this package by absolute paths, so that Jupyter finds the kernel
 * from every folder. The file that makes it a specification comes last and whole; one of ours is replaced.
 * @throws InputError KERNEL_NAME_TAKEN where another kernel has the name, NO_PERMISSION, READ_ONLY, NOT_A_FOLDER;
 * RunError DISK_FULL, WRITE_FAILED
 */
export async function installKernel(place: KernelPlace, displayName?: string): Promise<InstalledKernel> {
  const source = path.join(ownKernels, 'gondwana');
  const spec = JSON.parse(readFileSync(path.join(source, SPEC_FILE), 'utf8')) as KernelJson;
  const absolute = {
    ...spec,
    argv: spec.argv.map((word, i) =>
      i === 0 && word === 'node' ? process.execPath : word.replaceAll('{resource_dir}', source),
    ),
    display_name: displayName ?? spec.display_name,
    metadata: {
      ...spec.metadata,
      gondwana: { version: packageVersion(), package: path.resolve(ownKernels, '..') },
    },
  };
  const before = contentOf(place);
  if (before === 'other') throw nameTaken(place);
  await makeFolder(place.folder);
  try {
    for (const logo of readdirSync(source).filter(isLogo)) {
      await writeFileAtomic(path.join(place.folder, logo), readFileSync(path.join(source, logo)));
    }
    await writeFileAtomic(path.join(place.folder, SPEC_FILE), `${JSON.stringify(absolute, null, 2)}\n`);
  } catch (error) {
    if (before === 'nothing') await rm(place.folder, { recursive: true, force: true });
    throw error;
  }
  return { ...place, displayName: absolute.display_name, replaced: before === 'ours' };
}

/**
 * Takes a specification of ours out again. @throws InputError KERNEL_NOT_INSTALLED, KERNEL_NAME_TAKEN where it is
 * another's, NO_PERMISSION, READ_ONLY
 */
export async function uninstallKernel(place: KernelPlace): Promise<void> {
  const found = contentOf(place);
  if (found === 'other') throw nameTaken(place);
  if (found === 'nothing') {
    throw new InputError('KERNEL_NOT_INSTALLED', `No kernel "${place.name}" is installed here.`, {
      where: place.folder,
      hint: '`jupyter kernelspec list` shows where kernels are; name the place with --sys-prefix or --prefix DIR.',
    });
  }
  try {
    // without it the folder is no specification, also where the rest cannot be removed
    await rm(path.join(place.folder, SPEC_FILE), { force: true });
    await rm(place.folder, { recursive: true, force: true });
  } catch (cause) {
    throw writeError(cause, place.folder);
  }
}

/** What has the place already; logos alone are what a killed installation left. */
function contentOf({ folder }: KernelPlace): 'nothing' | 'ours' | 'other' {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  if (!found.isDirectory()) return 'other';
  const names = readdirSync(folder);
  if (!names.includes(SPEC_FILE))
    return names.every((name) => isLogo(name) || name.endsWith('.tmp')) ? 'nothing' : 'other';
  try {
    const { metadata } = JSON.parse(readFileSync(path.join(folder, SPEC_FILE), 'utf8')) as KernelJson;
    return typeof metadata?.gondwana === 'object' && metadata.gondwana !== null ? 'ours' : 'other';
  } catch {
    return 'other';
  }
}

const nameTaken = ({ name, folder }: KernelPlace): InputError =>
  new InputError(
    'KERNEL_NAME_TAKEN',
    `The name "${name}" belongs to a kernel that Gondwana did not install.`,
    {
      where: folder,
      hint: `Choose another name with --name, or take that kernel out first: jupyter kernelspec uninstall ${name}`,
    },
  );
