import { InputError } from '../errors.js';
import type { PickleGlobal } from '../io/pickle.js';

/**
 * Names that no weights need and that run code where pickles are executed. Nothing is executed here whatever a
 * file names; such a file was made to do harm elsewhere, so it is refused, for all that its tensors may be worth.
 */
const MODULES = new Set(
  'asyncio bdb cloudpickle code codeop commands ctypes http importlib io _io marshal multiprocessing nt os pdb pickle posix pty runpy shutil signal site smtplib socket subprocess sys tempfile threading timeit urllib webbrowser'.split(
    ' ',
  ),
);
const BUILTINS = new Set(
  '__import__ apply breakpoint compile delattr eval exec execfile exit file getattr globals input locals open quit setattr vars'.split(
    ' ',
  ),
);
const FUNCTIONS = new Set([
  'torch load',
  'torch.serialization load',
  'torch.hub load',
  'torch.jit load',
  'numpy load',
  'operator attrgetter',
  'operator methodcaller',
  'operator itemgetter',
]);

/** @throws InputError CHECKPOINT_HOSTILE */
export function refuseDangerous(global: PickleGlobal, where: string): void {
  const root = global.module.split('.')[0]!;
  const isBuiltin = root === 'builtins' || root === '__builtin__';
  const isDangerous =
    MODULES.has(root) ||
    (isBuiltin && BUILTINS.has(global.name.split('.')[0]!)) ||
    FUNCTIONS.has(`${global.module} ${global.name}`);
  if (!isDangerous) return;
  throw new InputError(
    'CHECKPOINT_HOSTILE',
    `The checkpoint names ${global.fullName}, which no weights need.`,
    {
      where,
      hint: 'Nothing was executed. Do not open this file with other tools; get the weights from their publisher.',
    },
  );
}
