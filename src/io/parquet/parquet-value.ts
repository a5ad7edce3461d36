/** A value of a table: exact, or nothing. */
export type ParquetValue =
  | null
  | boolean
  | number
  /** 64-bit integers, all of them. */
  | bigint
  /** Texts; also decimals, dates (`2020-01-31`) and times (`2020-01-31T01:00:00Z`), to their last digit. */
  | string
  | Uint8Array
  | readonly ParquetValue[]
  | { readonly [name: string]: ParquetValue };
