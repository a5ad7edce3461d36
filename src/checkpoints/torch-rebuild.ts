import {
  PickleExtension,
  PickleGlobal,
  PickleObject,
  PickleTuple,
  standardReducers,
  type PickleValue,
  type Reducer,
} from '../io/pickle.js';
import { malformed } from './checkpoint-error.js';
import { TensorEntry, UnsupportedTensor, type Storage, type TensorDtype } from './tensor-entry.js';

/** A storage that a pickle refers to, with the element type that its class names. */
export class TypedStorage extends PickleExtension {
  override readonly extension = 'storage';
  constructor(
    readonly storage: Storage,
    /** undefined: bytes without a type, or a type that is not read. */
    readonly dtype: TensorDtype | undefined,
    readonly typeName: string,
    /** Elements before this part of the storage (old files). */
    readonly offset = 0,
  ) {
    super();
  }
}

/** Classes in torch and torch.cuda: element type or undefined, bytes an element. */
const STORAGE_TYPES: ReadonlyMap<string, readonly [TensorDtype | undefined, number]> = new Map([
  ['DoubleStorage', ['float64', 8]],
  ['FloatStorage', ['float32', 4]],
  ['HalfStorage', ['float16', 2]],
  ['BFloat16Storage', ['bfloat16', 2]],
  ['LongStorage', ['int64', 8]],
  ['IntStorage', ['int32', 4]],
  ['ShortStorage', ['int16', 2]],
  ['CharStorage', ['int8', 1]],
  ['ByteStorage', ['uint8', 1]],
  ['BoolStorage', ['bool', 1]],
  ['UntypedStorage', [undefined, 1]],
  ['ComplexFloatStorage', [undefined, 8]],
  ['ComplexDoubleStorage', [undefined, 16]],
  ['QUInt8Storage', [undefined, 1]],
  ['QInt8Storage', [undefined, 1]],
  ['QInt32Storage', [undefined, 4]],
  ['QUInt4x2Storage', [undefined, 1]],
  ['QUInt2x4Storage', [undefined, 1]],
] as const);

/** What a persistent id says: ('storage', class, key, device, number of elements[, view]). */
export interface StorageReference {
  readonly key: string;
  readonly dtype: TensorDtype | undefined;
  readonly typeName: string;
  readonly byteLength: number;
  /** First element and number of elements of a part, in files from before 2018. */
  readonly view: { readonly offset: number } | undefined;
}

export function parseStorageReference(id: PickleValue, where: string): StorageReference {
  const items = id instanceof PickleTuple ? id.items : [];
  const [tag, type, key, , count, view] = items;
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;
  if (tag !== 'storage' || !(type instanceof PickleGlobal) || typeof key !== 'string' || !isCount) {
    throw malformed(where, 'It refers to something that is no storage.');
  }
  const isTorch = ['torch', 'torch.cuda', 'torch.storage'].includes(type.module);
  const known = isTorch ? STORAGE_TYPES.get(type.name) : undefined;
  if (!known) throw malformed(where, `It refers to a storage of the unknown kind ${type.fullName}.`);
  const [dtype, itemSize] = known;
  return { key, dtype, typeName: type.fullName, byteLength: count * itemSize, view: parseView(view, where) };
}

function parseView(view: PickleValue | undefined, where: string): StorageReference['view'] {
  if (view === undefined || view === null) return undefined;
  const offset = view instanceof PickleTuple ? view.items[1] : undefined;
  if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return { offset };
  throw malformed(where, 'A part of a storage has no place in it.');
}

/** dtypes that storages without a type are read as. */
const DTYPE_NAMES: ReadonlyMap<string, TensorDtype> = new Map([
  ...(['float64', 'float32', 'float16', 'bfloat16', 'int64', 'int32', 'int16', 'int8'] as const).map(
    (name): [string, TensorDtype] => [name, name],
  ),
  ...(['uint64', 'uint32', 'uint16', 'uint8', 'bool'] as const).map((name): [string, TensorDtype] => [
    name,
    name,
  ]),
]);

/** How PyTorch says in a pickle that a tensor is cut from a storage; all else it names stays a record. */
export function torchReducers(where: string): ReadonlyMap<string, Reducer> {
  const tensor =
    (dtypeAt?: number): Reducer =>
    (args) => {
      const [storage, offset, shape, strides] = args;
      if (!(storage instanceof TypedStorage))
        throw malformed(where, 'A tensor is made of something that is no storage.');
      const named = dtypeAt === undefined ? undefined : args[dtypeAt];
      const dtypeName = named instanceof PickleGlobal && named.module === 'torch' ? named.name : undefined;
      const dtype = dtypeName === undefined ? storage.dtype : DTYPE_NAMES.get(dtypeName);
      if (!dtype) return new UnsupportedTensor(`element type ${dtypeName ?? storage.typeName}`);
      if (typeof offset !== 'number') throw malformed(where, 'A tensor has no offset.');
      const layout = {
        dtype,
        shape: counts(shape, where),
        strides: counts(strides, where),
        offset: offset + storage.offset,
      };
      return new TensorEntry(storage.storage, layout, where);
    };

  const parameter: Reducer = ([data]) => {
    if (data instanceof UnsupportedTensor) return data;
    if (data instanceof TensorEntry) return data.asParameter();
    throw malformed(where, 'A parameter is made of something that is no tensor.');
  };

  const unread =
    (reason: string): Reducer =>
    () =>
      new UnsupportedTensor(reason);

  const rebuilders: readonly [string, Reducer][] = [
    ['torch._utils _rebuild_tensor', tensor()],
    ['torch._utils _rebuild_tensor_v2', tensor()],
    ['torch._utils _rebuild_tensor_v3', tensor(6)],
    ['torch._utils _rebuild_parameter', parameter],
    ['torch._utils _rebuild_parameter_with_state', parameter],
    ['torch.nn.parameter Parameter', parameter],
    ['torch._utils _rebuild_sparse_tensor', unread('sparse tensor')],
    ['torch._utils _rebuild_nested_tensor', unread('nested tensor')],
    ['torch._utils _rebuild_qtensor', unread('quantized tensor')],
    ['torch._utils _rebuild_meta_tensor_no_storage', unread('tensor without data (meta device)')],
  ];
  const table = new Map([...standardReducers, ...rebuilders]);

  // tensors of subclasses: the function that rebuilds the plain one, the subclass, its arguments, its state
  const fromType: Reducer = ([rebuild, type, args]) => {
    const inner =
      rebuild instanceof PickleGlobal ? table.get(`${rebuild.module} ${rebuild.name}`) : undefined;
    if (inner && inner !== fromType && args instanceof PickleTuple) return inner(args.items);
    const name = type instanceof PickleGlobal ? type.fullName : 'unknown class';
    return new UnsupportedTensor(`tensor of ${name}`);
  };
  return table.set('torch._tensor _rebuild_from_type_v2', fromType);
}

/** Sizes or strides: a tuple, or the record of a `torch.Size`. */
function counts(value: PickleValue | undefined, where: string): number[] {
  const isSize = value instanceof PickleObject && value.type.fullName === 'torch.Size';
  const items = isSize ? value.args[0] : value;
  if (items instanceof PickleTuple && items.items.every((item) => typeof item === 'number'))
    return [...items.items];
  throw malformed(where, 'A tensor has no sizes or strides.');
}
