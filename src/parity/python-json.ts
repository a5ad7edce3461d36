/** JSON as Python writes it: its bare NaN and Infinity, which JSON has not, become text. */
export const parsePythonJson = (text: string): unknown =>
  JSON.parse(text.replace(/([[:,]\s*)(NaN|-?Infinity)(?=\s*[,\]}])/g, '$1"$2"'));
