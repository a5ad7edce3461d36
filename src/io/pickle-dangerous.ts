import type { PickleGlobal } from './pickle-values.js';

/** Names that no data needs and that run code where pickles are executed. */
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

/** Whether a name that a pickle mentions would run code where pickles are executed. Nothing is executed here. */
export function isDangerousName({ module, name }: PickleGlobal): boolean {
  const root = module.split('.')[0]!;
  const isBuiltin = root === 'builtins' || root === '__builtin__';
  return (
    MODULES.has(root) ||
    (isBuiltin && BUILTINS.has(name.split('.')[0]!)) ||
    FUNCTIONS.has(`${module} ${name}`)
  );
}
