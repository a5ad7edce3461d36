import type { Content } from '../protocol.js';

/** Reads fields of a request that may hold anything. */
export function fieldsOf(content: Content) {
  return {
    text: (name: string): string | undefined => {
      const value = content[name];
      return typeof value === 'string' ? value : undefined;
    },
    flag: (name: string, otherwise: boolean): boolean => {
      const value = content[name];
      return typeof value === 'boolean' ? value : otherwise;
    },
    whole: (name: string): number | undefined => {
      const value = content[name];
      return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : undefined;
    },
    /** Members that are texts, by name. */
    texts: (name: string): Record<string, string> => {
      const value = content[name];
      if (typeof value !== 'object' || value === null) return {};
      return Object.fromEntries(
        Object.entries(value as Content).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      );
    },
  };
}
