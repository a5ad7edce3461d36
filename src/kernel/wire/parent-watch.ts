/** Ends this process when the one that started it is gone: nobody could use it or end it any more. */
export function watchParent(end: () => void, parent: number = process.ppid, everyMs = 250): NodeJS.Timeout {
  return setInterval(() => {
    if (process.ppid !== parent) end();
  }, everyMs);
}
