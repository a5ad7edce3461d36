const loaded = new Set<string>();

export const notePlugin = (file: string): void => void loaded.add(file);

/** The plugins of this process, for those that it starts. */
export const loadedPlugins = (): string[] => [...loaded];
